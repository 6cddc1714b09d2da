#!/usr/bin/env python3
"""No line of a witness gets lost between a container's log and the checker."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pod_logs import PodLogs  # noqa: E402


def witness_line(number):
    return json.dumps({"event": "acknowledged", "identity": "a", "number": 7, "boot_ns": 1, "entry": number})


class PodLogsTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = Path(self.temporary.name) / "node"
        self.copies = Path(self.temporary.name) / "copies"
        self.logs = PodLogs([self.root], "e2e-x", self.copies)

    def tearDown(self):
        for file in self.logs.files.values():
            file.close()
        self.temporary.cleanup()

    def file(self, pod="pod-1", restart=0, namespace="e2e-x"):
        folder = self.root / "var/log/pods" / f"{namespace}_{pod}_uid" / "leader-elector"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{restart}.log"

    def write(self, path, text, stream="stdout", kind="F"):
        with path.open("a", encoding="utf-8") as file:
            file.write(f"2026-01-01T00:00:00.0Z {stream} {kind} {text}\n")

    def entries(self):
        return sorted(line["entry"] for line in self.logs.look())

    def test_lines_come_once_however_often_one_looks(self):
        self.write(self.file(), witness_line(1))
        self.assertEqual(self.entries(), [1])
        self.write(self.file(), witness_line(2))
        self.assertEqual(self.entries(), [1, 2])
        self.assertEqual(self.entries(), [1, 2])

    def test_what_was_written_before_a_file_was_deleted_is_read(self):
        path = self.file()
        self.write(path, witness_line(1))
        self.entries()
        self.write(path, witness_line(2))
        path.unlink()
        self.assertEqual(self.entries(), [1, 2])

    def test_every_restart_and_every_pod_counts_and_other_namespaces_do_not(self):
        self.write(self.file(restart=0), witness_line(1))
        self.write(self.file(restart=1), witness_line(2))
        self.write(self.file(pod="pod-2"), witness_line(3))
        self.write(self.file(namespace="e2e-x2"), witness_line(4))
        self.assertEqual(self.entries(), [1, 2, 3])
        self.assertEqual(len(list(self.copies.glob("pod-1/leader-elector.*.log"))), 2)

    def test_half_a_line_waits_for_its_other_half(self):
        path = self.file()
        line = witness_line(1)
        with path.open("w", encoding="utf-8") as file:
            file.write(f"2026-01-01T00:00:00.0Z stdout F {line[:10]}")
        self.assertEqual(self.entries(), [])
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line[10:]}\n")
        self.assertEqual(self.entries(), [1])

    def test_a_line_that_containerd_has_split_is_put_together(self):
        line = witness_line(1)
        self.write(self.file(), line[:10], kind="P")
        self.write(self.file(), line[10:], kind="F")
        self.assertEqual(self.entries(), [1])

    def test_standard_error_and_others_are_copied_but_not_taken_for_a_witness(self):
        self.write(self.file(), witness_line(1), stream="stderr")
        self.write(self.file(), '{"level":"info","message":"became leader"}')
        self.assertEqual(self.entries(), [])
        self.assertIn("became leader", (self.copies / "pod-1/leader-elector.0.log").read_text(encoding="utf-8"))


    def test_what_an_earlier_namespace_of_this_name_has_left_does_not_count(self):
        self.write(self.file(pod="old"), witness_line(1))
        with self.logs:
            self.write(self.file(pod="old"), witness_line(2))
            self.write(self.file(pod="new"), witness_line(3))
            self.assertEqual(self.entries(), [3])

    def test_why_an_elector_stopped_leading_is_kept(self):
        self.write(self.file(), '{"msg":"stopped leading","identity":"a","reason":"released"}', stream="stderr")
        self.entries()
        self.assertEqual([ending["reason"] for ending in self.logs.endings], ["released"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The witness and the checker on a real API server, with processes instead of pods: what e2e/run.sh relies on, where there is no
cluster. Run by ctest with WITNESS, LEADER_ELECTOR and, for the Go candidate, INTEROP_CANDIDATE in the environment.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path += [str(TOP / "test/support"), str(TOP / "e2e/support")]
import api_server  # noqa: E402
import checker  # noqa: E402
import evidence  # noqa: E402
from wait import wait_for  # noqa: E402

DURATIONS = ("--lease-duration=3s", "--renew-deadline=2s", "--retry-period=500ms")
LONGEST_GAP = 30  # seconds; machines are busy


class WitnessTest(unittest.TestCase):
    def setUp(self):
        self.server = api_server.ApiServer()
        self.log = f"witness-{os.getpid()}"
        self.server.kubectl("create", "configmap", self.log)
        self.folder = tempfile.TemporaryDirectory()
        self.processes = {}

    def tearDown(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
        self.server.kubectl("delete", "configmap", self.log)
        self.folder.cleanup()

    def start(self, name, command, **environment):
        environment = os.environ | {"KUBECONFIG": str(self.server.kubeconfig("admin"))} | environment
        with (Path(self.folder.name) / name).open("ab") as output:
            self.processes[name] = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment)

    def start_witness(self, name, number):
        self.start(name, [os.environ["WITNESS"], self.log], LEADER_ELECTION_IDENTITY=name, LEADER_ELECTION_FENCING_TOKEN=str(number))

    def start_elector(self, name):
        where = [f"--name={self.log}", f"--identity={name}", "--admin-address=off", *DURATIONS]
        self.start(name, [os.environ["LEADER_ELECTOR"], "run", *where, "--", os.environ["WITNESS"], self.log])

    def start_go(self, name):
        where = [f"--name={self.log}", f"--identity={name}", f"--namespace={self.server.namespace}", "--release-on-cancel"]
        where += [f"--kubeconfig={self.server.kubeconfig('admin')}", *DURATIONS]
        self.start(name, [os.environ["INTEROP_CANDIDATE"], *where, "--", os.environ["WITNESS"], self.log])

    def lines(self):
        texts = [file.read_text(encoding="utf-8") for file in Path(self.folder.name).iterdir()]
        return [line for text in texts for line in map(evidence.parse_line, text.splitlines(keepends=False)) if line]

    def gather(self, excused=()):
        lines = self.lines()
        terms = evidence.parse_terms(json.loads(self.server.kubectl("get", "configmap", self.log, "-o", "json")))
        late = {(line["identity"], line["number"]) for line in lines if line["identity"] in excused}
        return evidence.Evidence(terms, lines, excused=late)

    def await_event(self, event, identity=None, after=0, count=1):
        """The first of so many such lines with a number larger than `after`."""

        def found():
            lines = [line for line in self.lines() if line["event"] == event and line["number"] > after]
            lines = [line for line in lines if identity in (None, line["identity"])]
            return lines if len(lines) >= count else None

        return wait_for(f"'{event}' of {identity or 'anyone'}", found)[0]

    def end(self, name):
        self.processes[name].send_signal(signal.SIGTERM)
        self.processes[name].wait(60)

    def test_entries_of_two_terms_are_all_there_and_a_stale_writer_is_refused(self):
        self.start_witness("old", 100)
        self.await_event("acknowledged", "old", count=5)
        self.start_witness("new", 200)
        self.assertEqual(self.await_event("refused", "old")["stored"], 200)
        self.await_event("acknowledged", "new", count=5)
        self.end("old")
        self.end("new")
        self.assertEqual(checker.check(self.gather(excused=["old"]), LONGEST_GAP), [])
        # Without the excuse it is what it looks like: two at once.
        self.assertRegex("\n".join(checker.check(self.gather(), LONGEST_GAP)), "two leaders at once")

    def test_a_server_that_is_stopped_for_a_while_costs_no_acknowledged_entry(self):
        self.start_witness("one", 100)
        self.await_event("acknowledged", count=5)
        self.server.control("stop")
        try:
            self.await_event("failed")
        finally:
            self.server.control("cont")
        before = len([line for line in self.lines() if line["event"] == "acknowledged"])
        self.await_event("acknowledged", count=before + 10)
        self.end("one")
        self.assertEqual(checker.check(self.gather(), LONGEST_GAP), [])

    def test_electors_that_are_killed_and_stopped_never_have_two_witnesses(self):
        names = ["a", "b", "c"]
        for name in names:
            self.start_elector(name)
        first = self.await_event("acknowledged", count=5)
        self.processes[first["identity"]].kill()
        second = self.await_event("acknowledged", after=first["number"], count=5)
        self.processes[second["identity"]].send_signal(signal.SIGSTOP)
        third = self.await_event("acknowledged", after=second["number"], count=5)
        self.processes[second["identity"]].send_signal(signal.SIGCONT)
        self.end(third["identity"])
        last = self.await_event("acknowledged", after=third["number"], count=5)
        self.end(last["identity"])
        gathered = self.gather()
        self.assertEqual(checker.check(gathered, LONGEST_GAP), [])
        self.assertEqual(checker.summary(gathered)["terms"], 4)

    def test_a_go_candidate_runs_the_same_work_with_a_number_that_fits(self):
        self.start_elector("cpp")
        first = self.await_event("acknowledged", count=5)
        self.start_go("go")
        time.sleep(1)  # so that it is there when the lock is released
        self.end("cpp")
        second = self.await_event("acknowledged", "go", after=first["number"], count=5)
        self.start_elector("cpp-again")
        self.end("go")
        third = self.await_event("acknowledged", "cpp-again", after=second["number"], count=5)
        self.end("cpp-again")
        self.assertLess(second["number"], third["number"])
        self.assertEqual(checker.check(self.gather(excused=["go"]), LONGEST_GAP), [])


if __name__ == "__main__":
    api_server.require()
    unittest.main(verbosity=2)

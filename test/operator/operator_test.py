#!/usr/bin/env python3
"""example-operator on a real API server: it reconciles, hands over, survives what happens to it, and no status is ever
written by a smaller number than the one it carries."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import api_server  # noqa: E402
from held_proxy import HeldProxy  # noqa: E402
from operator_process import History, Operator, Place, eventually, falls  # noqa: E402

LESS_THAN_A_LONG_LEASE = 30  # of 60 seconds: who works within this has not waited for an expiry


def checksum_of(**data):
    parts = [f"{len(part.encode())}:{part}" for pair in sorted(data.items()) for part in pair]
    return "sha256:" + hashlib.sha256(f"{len(data)};{''.join(parts)}0;".encode()).hexdigest()


class OnServer(unittest.TestCase):
    def setUp(self):
        self.server = api_server.ApiServer()
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def place(self, **more):
        return Place(self.server, self.folder, **more)

    def start(self, place, identity, **more):
        operator = Operator(place, identity, **more)
        self.addCleanup(operator.end)
        return operator

    def history(self, place):
        history = History(place)
        self.addCleanup(history.end)
        return history

    def await_status(self, place, name, checksum, operator):
        """That of these contents, written in a term of this operator."""

        def is_so():
            found, number = place.status(name)
            return found == checksum and number in operator.numbers()

        eventually(is_so, f"status of {name}")

    def leader_and_follower(self, place, **more):
        leader = self.start(place, "a", **more)
        leader.leads()
        follower = self.start(place, "b")
        follower.log.wait("leader=a")
        return leader, follower


class OperatorTest(OnServer):
    def test_reconciles_what_is_there_what_comes_and_what_changes_and_nothing_else(self):
        place = self.place()
        place.add("early", color="red", size="2")
        place.add("foreign", managed=False, color="red")
        operator = self.start(place, "a", seconds=60)
        self.await_status(place, "early", checksum_of(color="red", size="2"), operator)
        place.add("late", text="one two")
        self.await_status(place, "late", checksum_of(text="one two"), operator)
        place.change("early", color="blue")
        self.await_status(place, "early", checksum_of(color="blue", size="2"), operator)
        self.assertEqual(place.status("foreign"), ("", 0))
        # Its own writes are no reason to write again.
        self.assertEqual(len(operator.log.matching("msg=reconciled")), 3)
        operator.send(signal.SIGTERM)
        self.assertEqual(operator.process.wait(30), 0)

    def test_more_than_one_page_of_them_is_reconciled(self):
        place = self.place()
        metadata = "{{name: m-{}, labels: {{example.leaderelection/managed: 'true'}}}}"
        text = "\n---\n".join(f"{{apiVersion: v1, kind: ConfigMap, metadata: {metadata.format(n)}}}" for n in range(120))
        (self.folder / "many.yaml").write_text(text, encoding="utf-8")
        place.kubectl("create", "-f", self.folder / "many.yaml")
        operator = self.start(place, "a", seconds=60)
        eventually(lambda: len(operator.log.matching(rf"config_map=m-.*checksum={checksum_of()}")) >= 120, "120 statuses")

    def test_a_killed_leader_is_followed_by_one_with_a_larger_number_and_no_status_goes_back(self):
        place = self.place()
        for name in ("x", "y", "z"):
            place.add(name, value="0")
        history = self.history(place)
        leader, follower = self.leader_and_follower(place)
        for value in range(1, 4):
            place.change("x", value=str(value))
        leader.send(signal.SIGKILL)
        place.change("y", value="4")
        for name, value in (("x", "3"), ("y", "4"), ("z", "0")):
            self.await_status(place, name, checksum_of(value=value), follower)
        self.assertGreater(follower.leads(), max(leader.numbers()))
        eventually(lambda: follower.leads() in history.numbers().get("z", []), "history")
        self.assertIsNone(falls(history.numbers()))

    def test_a_fall_of_the_number_would_be_seen(self):
        self.assertEqual(falls({"x": [1, 2, 2, 3], "y": [5, 7, 6]}), ("y", 7, 6))

    def test_a_leader_stopped_past_its_lease_writes_nothing_when_it_goes_on(self):
        place = self.place()
        place.add("x", value="0")
        history = self.history(place)
        leader, follower = self.leader_and_follower(place)
        self.await_status(place, "x", checksum_of(value="0"), leader)
        leader.send(signal.SIGSTOP)
        place.change("x", value="1")
        self.await_status(place, "x", checksum_of(value="1"), follower)
        leader.send(signal.SIGCONT)
        leader.log.wait("leader=b")
        place.change("x", value="2")
        self.await_status(place, "x", checksum_of(value="2"), follower)
        self.assertIsNone(falls(history.numbers()))

    def test_the_late_write_of_an_old_leader_is_refused(self):
        place = self.place()
        place.add("x", value="0")
        history = self.history(place)
        proxy = HeldProxy(*place.server_address)
        self.addCleanup(proxy.end)
        leader, follower = self.leader_and_follower(place, server=("127.0.0.1", proxy.port))
        self.await_status(place, "x", checksum_of(value="0"), leader)
        # Once more, so that it has a connection for writes beside that of its watch.
        place.change("x", value="1")
        self.await_status(place, "x", checksum_of(value="1"), leader)
        mark = self.server.audit_log.stat().st_size
        # It hears of the change and writes, but the write stays on the way until another leads and has written.
        proxy.hold()
        place.change("x", value="2")
        self.await_status(place, "x", checksum_of(value="2"), follower)
        proxy.let_go()
        late = eventually(lambda: self.writes_of("example-operator a", place, mark), "the late write")
        self.assertEqual({entry["responseStatus"]["code"] for entry in late}, {409})
        self.await_status(place, "x", checksum_of(value="2"), follower)
        self.assertIsNone(falls(history.numbers()))

    def writes_of(self, agent, place, start):
        with self.server.audit_log.open(encoding="utf-8") as log:
            log.seek(start)
            entries = [json.loads(line) for line in log if line.endswith("\n")]
        return [entry for entry in entries
                if entry["verb"] == "patch" and entry.get("userAgent") == agent
                and entry["objectRef"].get("namespace") == place.name]  # fmt: skip

    def test_the_servers_own_fence_refuses_a_smaller_number_and_takes_a_larger(self):
        place = self.place()
        place.apply(("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"))
        place.add("x", value="0")
        place.add("unfenced", managed=False, value="0")

        def annotate(name, number):
            try:
                place.kubectl("annotate", "--overwrite", "configmap", name, f"example.leaderelection/fencing-token={number}")
            except subprocess.CalledProcessError as refused:
                return refused.stderr
            return ""

        annotate("x", 100)
        # A policy counts from a moment after it was made.
        refused = eventually(lambda: annotate("x", 99) or annotate("x", 100), "the policy")
        self.assertIn("the status was written by term 100, which is later than 99", refused)
        self.assertEqual(place.status("x")[1], 100)
        self.assertEqual(annotate("x", 1000), "")
        # Where it does not look, the same writes go through.
        self.assertEqual([annotate("unfenced", number) for number in (100, 99)], ["", ""])

    def test_a_larger_number_is_left_alone_and_said_so(self):
        place = self.place()
        place.add("x", value="0")
        place.kubectl("annotate", "configmap", "x", f"example.leaderelection/fencing-token={2**62}")
        place.add("y", value="0")
        operator = self.start(place, "a")
        self.await_status(place, "y", checksum_of(value="0"), operator)
        operator.log.wait(rf'"a later leader has been here: left alone" config_map=x found={2**62}')
        self.assertEqual(place.status("x"), ("", 2**62))

    def test_sigterm_hands_over_at_once(self):
        place = self.place()
        place.add("x", value="0")
        leader, follower = self.leader_and_follower(place, seconds=60)
        self.await_status(place, "x", checksum_of(value="0"), leader)
        began = time.monotonic()
        leader.send(signal.SIGTERM)
        self.await_status(place, "x", checksum_of(value="0"), follower)
        self.assertLess(time.monotonic() - began, LESS_THAN_A_LONG_LEASE)
        self.assertEqual(leader.process.wait(30), 0)

    def test_a_missing_right_is_one_clear_line_and_work_begins_when_it_is_there(self):
        place = self.place(kinds=("ServiceAccount", "RoleBinding", "Lease"))
        place.kubectl("create", "role", "example-operator", "--verb=get,update,watch", "--resource=leases.coordination.k8s.io")
        place.add("x", value="0")
        operator = self.start(place, "a", seconds=60)
        line = operator.log.wait("cannot reconcile")
        self.assertRegex(line, r"cannot list resource .*configmaps")
        eventually(lambda: len(self.denied_lists(place)) > 2, "three attempts")
        self.assertEqual(len(operator.log.matching("level=error")), 1)
        place.apply(("Role",))
        self.await_status(place, "x", checksum_of(value="0"), operator)

    def test_without_the_right_to_watch_it_lists_and_says_why(self):
        place = self.place(kinds=("ServiceAccount", "RoleBinding", "Lease"))
        resources = "--resource=leases.coordination.k8s.io,configmaps"
        place.kubectl("create", "role", "example-operator", "--verb=get,update,list,patch", resources)
        operator = self.start(place, "a", seconds=60)
        self.assertRegex(operator.log.wait("cannot reconcile"), r"HTTP status 403: .*cannot watch resource .*configmaps")
        place.add("x", value="0")
        self.await_status(place, "x", checksum_of(value="0"), operator)

    def denied_lists(self, place):
        signs = (f'"namespace":"{place.name}"', '"verb":"list"', '"code":403')
        text = self.server.audit_log.read_text(encoding="utf-8")
        return [line for line in text.splitlines() if all(sign in line for sign in signs)]


class OutageTest(OnServer):
    def test_work_goes_on_after_the_server_was_killed_and_started_again(self):
        place = self.place()
        place.add("x", value="0")
        operator = self.start(place, "a", seconds=15)
        self.await_status(place, "x", checksum_of(value="0"), operator)
        self.server.control("kill")
        self.server.control("restart")
        place.change("x", value="1")
        self.await_status(place, "x", checksum_of(value="1"), operator)
        self.assertGreaterEqual(place.status("x")[1], operator.leads())
        operator.send(signal.SIGTERM)
        self.assertEqual(operator.process.wait(60), 0)


if __name__ == "__main__":
    api_server.require()
    unittest.main(verbosity=2)

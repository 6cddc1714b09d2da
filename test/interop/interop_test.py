#!/usr/bin/env python3
"""C++ candidates and client-go's on one Lease of a real API server: hand-off and crash both ways, durations that differ,
Leases that people edit or delete, permissions that are missing, and what each candidate asks of the server.

Run by ctest with OUR_CANDIDATE and, for the Go ones, INTEROP_CANDIDATE in the environment.
"""

import os
import signal
import sys
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import api_server  # noqa: E402
from candidates import Candidate, boot_ns  # noqa: E402

LONG = ("15s", "10s", "2s")
SHORT = ("3s", "2s", "500ms")
LESS_THAN_A_LONG_LEASE = 10  # seconds: who starts within this has not waited for an expiry


class InteropTest(unittest.TestCase):
    def setUp(self):
        self.server = api_server.ApiServer()
        self.name = f"interop-{os.getpid()}-{self.id().rsplit('.', 1)[-1].replace('_', '-')}"[:63].strip("-")
        self.candidates = []

    def tearDown(self):
        for candidate in self.candidates:
            candidate.end()

    def stand(self, program, identity, durations=SHORT, user="elector", name=None):
        flags = dict(zip(("--lease-duration", "--renew-deadline", "--retry-period"), durations))
        flags |= {"--kubeconfig": self.server.kubeconfig(user), "--namespace": self.server.namespace}
        flags |= {"--name": name or self.name, "--identity": identity}
        command = [program, *(part for flag in flags.items() for part in flag), "--release-on-cancel"]
        candidate = Candidate(command, identity, None)
        self.candidates.append(candidate)
        return candidate

    def ours(self, identity, durations=SHORT, **more):
        return self.stand(os.environ["OUR_CANDIDATE"], identity, durations, **more)

    def go(self, identity, durations=SHORT, **more):
        return self.stand(os.environ["INTEROP_CANDIDATE"], identity, durations, **more)

    def leads_then_follows(self, leader, follower):
        leader.wait("started")
        follower = follower()
        follower.wait("new_leader", leader=leader.identity)
        return follower

    def renewed_ns(self):
        """When the Lease was last renewed, by the boot clock. The two clocks do not step in a test."""
        renewed = datetime.fromisoformat(self.server.lease(self.name)["spec"]["renewTime"].replace("Z", "+00:00"))
        return boot_ns() - int((datetime.now(timezone.utc) - renewed).total_seconds() * 1e9)

    def test_a_go_leader_hands_off_to_a_cpp_follower_at_once(self):
        leader = self.go("go", LONG)
        follower = self.leads_then_follows(leader, lambda: self.ours("cpp", LONG))
        leader.send(signal.SIGTERM)
        follower.wait("started", patience=LESS_THAN_A_LONG_LEASE)
        spec = self.server.lease(self.name)["spec"]
        self.assertEqual(spec["holderIdentity"], "cpp")
        self.assertEqual(spec["leaseTransitions"], 1)

    def test_a_cpp_leader_hands_off_to_a_go_follower_at_once(self):
        leader = self.ours("cpp", LONG)
        follower = self.leads_then_follows(leader, lambda: self.go("go", LONG))
        leader.send(signal.SIGTERM)
        follower.wait("started", patience=LESS_THAN_A_LONG_LEASE)
        stopped = leader.wait("stopped")
        self.assertLess(0, stopped["boot_ns"])
        self.assertEqual(leader.process.wait(30), 0)
        self.assertEqual(self.server.lease(self.name)["spec"]["leaseTransitions"], 1)

    def test_a_cpp_follower_takes_over_from_a_crashed_go_leader_and_not_early(self):
        leader = self.go("go")
        follower = self.leads_then_follows(leader, lambda: self.ours("cpp"))
        leader.send(signal.SIGKILL)
        leader.process.wait()
        renewed = self.renewed_ns()
        started = follower.wait("started")["boot_ns"]
        self.assertGreaterEqual((started - renewed) / 1e9, 3.0)

    def test_a_go_follower_takes_over_from_a_crashed_cpp_leader(self):
        leader = self.ours("cpp")
        follower = self.leads_then_follows(leader, lambda: self.go("go"))
        leader.send(signal.SIGKILL)
        follower.wait("started")

    def test_a_cpp_follower_of_a_short_lease_waits_out_the_longer_lease_of_its_leader(self):
        leader = self.go("go", ("6s", "4s", "500ms"))
        follower = self.leads_then_follows(leader, lambda: self.ours("cpp"))
        leader.send(signal.SIGKILL)
        leader.process.wait()
        renewed = self.renewed_ns()
        started = follower.wait("started")["boot_ns"]
        self.assertGreaterEqual((started - renewed) / 1e9, 6.0)

    def test_a_go_follower_of_a_short_lease_waits_out_the_longer_lease_of_a_cpp_leader(self):
        leader = self.ours("cpp", ("6s", "4s", "500ms"))
        follower = self.leads_then_follows(leader, lambda: self.go("go"))
        leader.send(signal.SIGKILL)
        leader.process.wait()
        renewed = self.renewed_ns()
        started = follower.wait("started")["boot_ns"]
        # client-go compares whole seconds.
        self.assertGreaterEqual((started - renewed) / 1e9, 5.0)

    def test_labels_and_annotations_of_others_survive_and_end_no_term(self):
        leader = self.ours("cpp")
        leader.wait("started")
        for round_number in range(5):
            self.server.kubectl("label", "lease", self.name, "--overwrite", f"team=red{round_number}")
            self.server.kubectl("annotate", "lease", self.name, "--overwrite", f"note=blue{round_number}")
        before = self.server.lease(self.name)
        self.wait_for_renewal(before)
        after = self.server.lease(self.name)
        self.assertEqual(after["metadata"]["labels"]["team"], "red4")
        self.assertEqual(after["metadata"]["annotations"]["note"], "blue4")
        self.assertIsNone(leader.find("stopped"))

    def wait_for_renewal(self, before):
        deadline = time.monotonic() + 60
        while self.server.lease(self.name)["spec"]["renewTime"] == before["spec"]["renewTime"]:
            self.assertLess(time.monotonic(), deadline, "not renewed")

    def test_a_lease_deleted_under_its_leader_ends_the_term_and_the_next_number_is_higher(self):
        leader = self.ours("cpp")
        first = leader.wait("started")["fencing_token"]
        follower = self.ours("other")
        follower.wait("new_leader", leader="cpp")
        self.server.kubectl("delete", "lease", self.name)
        leader.wait("stopped")
        self.assertEqual(leader.process.wait(30), 1)
        self.assertGreater(follower.wait("started")["fencing_token"], first)

    def test_a_leader_stopped_past_its_lease_says_so_when_it_goes_on(self):
        leader = self.ours("cpp")
        follower = self.leads_then_follows(leader, lambda: self.ours("other"))
        leader.send(signal.SIGSTOP)
        taken = follower.wait("started")
        self.assertIsNone(leader.find("stopped"))
        leader.send(signal.SIGCONT)
        stopped = leader.wait("stopped")
        self.assertGreater(stopped["boot_ns"], taken["boot_ns"])
        self.assertEqual(leader.process.wait(30), 1)
        self.assertEqual(self.server.lease(self.name)["spec"]["holderIdentity"], "other")

    def test_a_renewal_is_one_update_and_a_follower_with_a_watch_sends_nothing(self):
        leader = self.ours("cpp", LONG, user="candidate-0")
        follower = self.leads_then_follows(leader, lambda: self.ours("other", LONG, user="candidate-1"))
        # The follower's first read and the watch are behind it once it has named the leader, but for the look after
        # the watch is live.
        time.sleep(3)
        start = self.server.audit_log.stat().st_size
        time.sleep(21)
        sent = self.server.requests("candidate-0", start)
        self.assertEqual(set(sent), {"update"})
        self.assertLessEqual(len(sent), 12)
        self.assertGreaterEqual(len(sent), 5)
        self.assertLessEqual(len(self.server.requests("candidate-1", start)), 0)
        self.assertIsNone(follower.find("started"))

    def test_one_existing_lease_and_three_verbs_are_enough(self):
        first = self.ours("cpp", LONG, user="least", name="precreated")
        first.wait("started")
        second = self.ours("other", LONG, user="least", name="precreated")
        second.wait("new_leader", leader="cpp")
        first.send(signal.SIGTERM)
        second.wait("started", patience=LESS_THAN_A_LONG_LEASE)
        second.send(signal.SIGTERM)
        self.assertEqual(second.process.wait(30), 0)

    def test_without_the_permission_to_watch_a_follower_polls(self):
        leader = self.ours("cpp", user="no-watch")
        follower = self.leads_then_follows(leader, lambda: self.ours("other", user="no-watch"))
        leader.send(signal.SIGTERM)
        follower.wait("started")

    def test_kubectl_shows_holder_and_events_as_people_know_them(self):
        leader = self.ours("cpp")
        leader.wait("started")
        self.assertRegex(self.server.kubectl("get", "lease", self.name), rf"{self.name}\s+cpp\s+\d+s")
        described = self.server.kubectl("describe", "lease", self.name)
        self.assertRegex(described, r"Holder Identity:\s+cpp")
        self.assertRegex(described, r"Lease Duration Seconds:\s+3")
        deadline = time.monotonic() + 30
        while "cpp became leader" not in described:
            self.assertLess(time.monotonic(), deadline, described)
            described = self.server.kubectl("describe", "lease", self.name)
        self.assertRegex(described, r"Normal\s+LeaderElection")


if __name__ == "__main__":
    api_server.require()
    unittest.main(verbosity=2)

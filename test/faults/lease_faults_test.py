#!/usr/bin/env python3
"""What a leader on a Lease does when the API server is stopped, killed, or does not know its token any more. Each test has
the server to itself, so they run one after the other.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import api_server  # noqa: E402
from candidates import Candidate, boot_ns  # noqa: E402

LONG = ("15s", "10s", "2s")


class LeaseFaultsTest(unittest.TestCase):
    def setUp(self):
        self.server = api_server.ApiServer()
        self.folder = Path(tempfile.mkdtemp())
        self.name = f"faults-{os.getpid()}"
        self.candidates = []

    def tearDown(self):
        for candidate in self.candidates:
            candidate.end()
        shutil.rmtree(self.folder)
        self.server.control("cont")

    def stand(self, identity, kubeconfig=None):
        flags = dict(zip(("--lease-duration", "--renew-deadline", "--retry-period"), LONG))
        flags |= {"--kubeconfig": kubeconfig or self.server.kubeconfig("elector"), "--namespace": self.server.namespace}
        flags |= {"--name": self.name, "--identity": identity}
        command = [os.environ["OUR_CANDIDATE"], *(part for flag in flags.items() for part in flag), "--release-on-cancel"]
        candidate = Candidate(command, identity, None)
        self.candidates.append(candidate)
        return candidate

    def renewed_after(self, moment):
        """Waits until the Lease has been renewed after this moment of the wall clock."""
        deadline = time.monotonic() + 60
        while self.server.lease(self.name)["spec"]["renewTime"] <= moment:
            self.assertLess(time.monotonic(), deadline, "not renewed")
            time.sleep(0.2)

    def pause_server(self, seconds):
        self.server.control("stop")
        time.sleep(seconds)
        self.server.control("cont")

    def test_a_server_stopped_for_six_seconds_costs_no_term(self):
        leader = self.stand("cpp")
        leader.wait("started")
        self.pause_server(6)
        self.renewed_after(self.server.lease(self.name)["spec"]["renewTime"])
        self.assertIsNone(leader.find("stopped"))

    def test_a_server_stopped_for_good_ends_the_term_in_time_and_not_when_it_is_back(self):
        leader = self.stand("cpp")
        leader.wait("started")
        stopped_at = boot_ns()
        self.server.control("stop")
        try:
            stopped = leader.wait("stopped", patience=40)
        finally:
            self.server.control("cont")
        # Its last renewal was before the server stopped, so the term is over ten seconds later; a busy machine may be
        # late to say so.
        self.assertLess((stopped["boot_ns"] - stopped_at) / 1e9, 13)
        self.assertEqual(leader.process.wait(60), 1)

    def test_after_a_server_was_killed_and_started_again_there_is_one_leader(self):
        leader = self.stand("cpp")
        leader.wait("started")
        follower = self.stand("other")
        follower.wait("new_leader", leader="cpp")
        before = self.server.lease(self.name)["spec"]["renewTime"]
        self.server.control("kill")
        self.server.control("restart")
        self.renewed_after(before)
        # Who leads depends on how long the server took to come back; that the other does not, does not.
        lost, taken = leader.find("stopped"), follower.find("started")
        self.assertEqual(self.server.lease(self.name)["spec"]["holderIdentity"], "other" if taken else "cpp")
        if taken:
            self.assertLess(lost["boot_ns"], taken["boot_ns"])

    def test_a_token_that_changes_a_hundred_times_costs_no_term(self):
        kubeconfig = self.folder / "kubeconfig"
        token = self.folder / "token"
        text = self.server.kubeconfig("elector").read_text(encoding="utf-8")
        kubeconfig.write_text(text.replace(str(self.server.folder / "serviceaccount/elector/token"), str(token)), encoding="utf-8")

        def write(value):
            draft = self.folder / "draft"
            draft.write_text(value, encoding="utf-8")
            draft.rename(token)

        tokens = [self.server.kubectl("create", "token", "elector", "--duration=1h").strip() for _ in range(10)]
        write(tokens[0])
        leader = self.stand("cpp", kubeconfig)
        leader.wait("started")
        for number in range(100):
            # A bad one now and then: the server refuses it, and the client must look at the file again at once.
            write("bad" if number % 10 == 5 else tokens[number % len(tokens)])
            time.sleep(0.1)
        write(tokens[0])
        self.renewed_after(self.server.lease(self.name)["spec"]["renewTime"])
        self.assertIsNone(leader.find("stopped"))
        leader.send(signal.SIGTERM)
        self.assertEqual(leader.process.wait(60), 0)


if __name__ == "__main__":
    api_server.require()
    unittest.main(verbosity=2)

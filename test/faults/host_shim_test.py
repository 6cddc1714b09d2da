#!/usr/bin/env python3
"""The shim is what a candidate sees: its clocks, its timers and its disk are the ones that the test has turned."""

import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from candidates import Candidate  # noqa: E402
from host_shim import Host  # noqa: E402

SECOND = 10**9


class HostShimTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.host = Host(self.folder / "host")

    def stand(self, *more):
        """Alone on a file."""
        flags = ["--file", self.folder / "lock", "--identity", "a", "--lease-duration", "3s", "--renew-deadline", "2s"]
        command = [os.environ["OUR_CANDIDATE"], *flags, "--retry-period", "500ms", *more]
        candidate = Candidate(command, "a", None, {**os.environ, **self.host.environment()})
        self.addCleanup(candidate.end)
        return candidate

    def told_wall(self, event):
        return datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()

    def test_an_untouched_host_shows_the_machine_s_own_clocks(self):
        before, boot_before = time.time(), time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        event = self.stand().wait("started")
        self.assertTrue(before - 0.001 <= self.told_wall(event) <= time.time() + 0.001)
        self.assertTrue(boot_before <= event["boot_ns"] <= time.clock_gettime_ns(time.CLOCK_BOOTTIME))

    def test_a_step_of_the_wall_clock_is_seen_and_leaves_the_boot_clock(self):
        self.host.step("wall", -3600)
        event = self.stand().wait("started")
        self.assertAlmostEqual(self.told_wall(event), time.time() - 3600, delta=120)
        self.assertLess(abs(event["boot_ns"] - time.clock_gettime_ns(time.CLOCK_BOOTTIME)), 120 * SECOND)

    def test_a_boot_clock_of_double_rate_is_read_and_waited_by(self):
        """The distance of two events by the candidate's clock is twice the true one; and its term, which lasts for two of
        its seconds after the disk is full, is over after one true second: the loop's timer is turned too."""
        self.host.run("boot", 2.0)
        candidate = self.stand()
        started = candidate.wait("started")
        self.host.break_disk(disk_full=1)
        full = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        stopped = candidate.wait("stopped")
        shown, true = (stopped[clock] - started[clock] for clock in ("boot_ns", "raw_ns"))
        self.assertAlmostEqual(shown / true, 2.0, delta=0.02)
        self.assertLess((stopped["raw_ns"] - full) / SECOND, 1.8)
        self.assertGreater(self.host.get("timers_set"), 0)

    def test_a_step_of_the_boot_clock_fires_timers_that_were_set_before_it(self):
        """On an untouched host the wait of a lone follower for a dead holder's lease takes that lease; here it is stepped
        over."""
        leader = self.stand("--lease-duration", "100s")
        leader.wait("started")
        leader.send(9)
        leader.process.wait()
        follower = self.stand("--identity", "b")
        follower.wait("new_leader", leader="a")
        self.host.step("boot", 200)
        follower.wait("started", patience=50)

    def test_a_clock_that_stands_still_shows_one_time(self):
        self.host.run("wall", 0)
        self.assertEqual(self.host.shown_ns("wall"), self.host.shown_ns("wall"))
        candidate = self.stand()
        self.assertEqual(candidate.wait("boot")["time"], candidate.wait("started")["time"])

    def test_a_full_disk_ends_a_term_and_a_failed_sync_is_read_again(self):
        candidate = self.stand()
        candidate.wait("started")
        self.host.break_disk(sync_fails=1)
        deadline = time.monotonic() + 60
        while self.host.get("sync_fails"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertIsNone(candidate.find("stopped"))
        self.host.break_disk(disk_full=1)
        candidate.wait("stopped")
        self.assertGreaterEqual(self.host.get("disk_faults"), 2)

    def test_without_a_host_file_the_shim_changes_nothing(self):
        environment = {**os.environ, **self.host.environment()}
        del environment["HOST_SHIM"]
        seen = subprocess.run(["date", "+%s"], env=environment, check=True, capture_output=True, text=True).stdout
        self.assertAlmostEqual(int(seen), time.time(), delta=120)


if __name__ == "__main__":
    unittest.main(verbosity=2)

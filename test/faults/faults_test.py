#!/usr/bin/env python3
"""The table of (fault, backend): every row a test on real processes and the real server, judged by its history.

faults_test.py --list names the tests, with SERIAL after those that want a shared server for themselves, for CMake.
Run by ctest with OUR_CANDIDATE and HOST_SHIM_LIBRARY in the environment.
"""

import os
import sys
import tempfile
import time
import unittest
from collections import namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import backends  # noqa: E402
import clock_scenarios as clocks  # noqa: E402
import scenarios  # noqa: E402
import stage as stages  # noqa: E402
from listed_tests import main  # noqa: E402

NETWORK = ("lease", "redis", "consul")
ALL = (*NETWORK, "file")
# renew_deadline + retry_period is more than lease_duration: client-go lets this pass, and overlaps.
NARROW = ("3s", "2800ms", "500ms")

# margin: seconds between a term that was not released and the next; None: lease_duration - renew_deadline.
Row = namedtuple("Row", "scenario backends durations margin", defaults=(ALL, stages.SHORT, None))

ROWS = [
    Row(scenarios.a_leader_paused_past_its_lease_finds_it_over_at_its_first_look),
    Row(scenarios.a_leader_that_was_replaced_while_paused_releases_nothing),
    Row(scenarios.a_killed_leader_is_followed_and_not_before_its_lease_is_over),
    Row(scenarios.a_leader_cut_off_without_a_word_ends_by_its_deadline),
    Row(scenarios.a_leader_whose_bytes_are_dropped_ends_by_its_deadline, NETWORK),
    Row(scenarios.a_leader_whose_server_accepts_and_never_answers_ends_by_its_deadline, NETWORK),
    Row(scenarios.a_leader_refused_at_every_attempt_ends_by_its_deadline, NETWORK),
    Row(scenarios.replies_later_than_the_margin_and_then_a_cut_leave_one_leader, ALL, NARROW),
    Row(scenarios.a_release_that_cannot_get_through_does_not_delay_the_stop),
    Row(scenarios.a_reply_lost_after_the_commit_costs_no_term, ALL, stages.PATIENT),
    Row(scenarios.a_take_over_whose_reply_is_lost_begins_one_term),
    Row(scenarios.connections_that_break_again_and_again_cost_no_term, NETWORK, stages.PATIENT),
    Row(scenarios.whatever_the_way_does_there_are_never_two_leaders_and_one_in_the_end),
    Row(scenarios.hand_offs_start_nobody_twice),
    Row(scenarios.two_processes_of_one_name_do_not_both_lead),
    Row(scenarios.a_server_that_hangs_leaves_no_leader_and_one_when_it_goes_on),
    Row(scenarios.a_server_killed_and_started_again_has_one_leader, NETWORK),
    Row(clocks.steps_of_the_wall_clock_change_nothing),
    Row(clocks.a_frozen_wall_clock_still_gives_signs_of_life),
    Row(clocks.a_leader_that_slept_finds_its_term_over_when_it_wakes, margin=0),
    Row(clocks.a_follower_whose_clock_runs_faster_by_almost_half_does_not_start_early, margin=0),
    Row(clocks.a_leader_whose_clock_runs_slower_by_almost_a_third_does_not_stay_late, margin=0),
]

TAKES_THE_SERVER_DOWN = {
    scenarios.a_server_that_hangs_leaves_no_leader_and_one_when_it_goes_on,
    scenarios.a_server_killed_and_started_again_has_one_leader,
}


class FaultsTest(unittest.TestCase):
    def stage(self, backend, durations):
        kind = backends.OwnRedis if backend is backends.Redis and self.takes_server_down else backend
        kind.require()
        stage = stages.Stage(kind, durations)
        self.addCleanup(lambda: stages.report(self.id().rsplit(".", 1)[-1], stage.close()))
        return stage

    def check(self, row, backend):
        self.takes_server_down = row.scenario in TAKES_THE_SERVER_DOWN
        stage = self.stage(backends.BACKENDS[backend], row.durations)
        row.scenario(stage)
        verdict = stage.judge(row.margin)
        stage.counts["terms"] += verdict.terms
        stage.counts["violations"] += len(verdict.violations)
        self.assertEqual(verdict.violations, [])

    def check_planted(self, backend):
        self.takes_server_down = False
        stage = self.stage(backends.BACKENDS[backend], stages.SHORT)
        clocks.beyond_the_promised_rate_the_judge_sees_it(stage)
        # A leader with a full disk still reads, and so ends as soon as the early one has written.
        expected = "less than 1 s" if backend == "file" else "both valid"
        self.assertTrue(any(expected in found for found in stage.judge().violations), "nothing was found")
        stage.counts["planted"] += 1

    def test_lease_a_rival_seen_by_the_watch_ends_the_term_at_once(self):
        self.takes_server_down = False
        stage = self.stage(backends.Lease, ("60s", "40s", "20s"))
        leader = stage.add()
        leader.wait("started")
        stage.backend.server.kubectl("patch", "lease", stage.backend.name, "--patch", '{"spec":{"holderIdentity":"rival"}}')
        patched = stages.raw_ns()
        leader.wait("new_leader", leader="rival")
        stopped = leader.wait("stopped")
        # Long before it would have renewed, let alone lost its term.
        self.assertLess((stopped["raw_ns"] - patched) / 1e9, scenarios.LATE)
        self.assertLess((leader.valid_until() - patched) / 1e9, scenarios.LATE)

    def test_lease_a_release_does_not_touch_what_a_rival_has_taken(self):
        self.takes_server_down = False
        stage = self.stage(backends.Lease, ("60s", "40s", "20s"))
        leader = stage.add()
        leader.wait("started")
        leader.link.drop()  # so that its watch does not tell of the rival
        server, name = stage.backend.server, stage.backend.name
        server.kubectl("patch", "lease", name, "--patch", '{"spec":{"holderIdentity":"rival"}}')
        leader.link.heal()
        leader.ask_to_stop()
        self.assertEqual(leader.process.wait(stages.PATIENCE), 0)
        self.assertEqual(server.lease(name)["spec"]["holderIdentity"], "rival")

    def test_lease_a_hundred_elections_of_one_process_lose_no_term(self):
        self.takes_server_down = False
        # A limit of five requests a second, as client-go has it for all of a process, would renew each in 20 seconds.
        stage = self.stage(backends.Lease, ("30s", "20s", "2s"))
        processes = [stage.add(flags=["--locks", "100"]) for _ in range(2)]
        deadline = time.monotonic() + stages.PATIENCE
        while len(self.locks(processes, "started")) < 100:
            self.assertLess(time.monotonic(), deadline, "not every election has a leader")
            time.sleep(0.1)
        time.sleep(25)  # longer than a term lasts that is not renewed
        self.assertEqual(self.locks(processes, "stopped"), set())
        stage.counts["elections"] += 100

    @staticmethod
    def locks(processes, event):
        return {found["lock"] for process in processes for found in process.candidate.events if found["event"] == event}

    def test_file_a_disk_that_is_full_leaves_no_leader_and_one_when_there_is_room(self):
        self.takes_server_down = False
        stage = self.stage(SmallDisk, stages.SHORT)
        leader, follower = stage.pair(flags=["--again"])
        stage.control("fill")
        scenarios.ends_by_its_deadline(stage, leader, stages.raw_ns())
        self.assertIsNone(follower.find("started"))
        stage.control("empty")
        stage.wait_until_valid(stage.leader(), stages.raw_ns() + 500_000_000)
        self.assertEqual(stage.judge().violations, [])


class SmallDisk(backends.File):
    """A folder on a disk of its own, which can be filled."""

    def __init__(self, folder, name):
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can mount a small disk")
        self.disk = Path(tempfile.mkdtemp())
        if os.system(f"mount -t tmpfs -o size=256k tmpfs {self.disk} 2>/dev/null") != 0:
            raise unittest.SkipTest("this machine lets nobody mount")
        super().__init__(folder, name)

    def flags(self, link):
        return ["--file", self.disk / self.name]

    def control(self, command):
        filler = self.disk / "filler"
        if command == "empty":
            return filler.unlink()
        with filler.open("wb", buffering=0) as file:
            size = 65536
            while size:
                try:
                    file.write(b"x" * size)
                except OSError:
                    size //= 2

    def close(self):
        os.system(f"umount {self.disk}")
        self.disk.rmdir()


def add_tests():
    serial = set()
    for row in ROWS:
        for backend in row.backends:
            name = f"test_{backend}_{row.scenario.__name__}"
            setattr(FaultsTest, name, lambda self, row=row, backend=backend: self.check(row, backend))
            if row.scenario in TAKES_THE_SERVER_DOWN and backend in ("lease", "consul"):
                serial.add(name)
    for backend in ALL:
        name = f"test_{backend}_{clocks.beyond_the_promised_rate_the_judge_sees_it.__name__}"
        setattr(FaultsTest, name, lambda self, backend=backend: self.check_planted(backend))
    return serial


SERIAL = add_tests() | {"test_lease_a_hundred_elections_of_one_process_lose_no_term"}

if __name__ == "__main__":
    main(FaultsTest, SERIAL)

"""What is done to candidates' clocks. Judged in true time, by a clock that is not turned."""

import time

from scenarios import LATE
from stage import PATIENCE, raw_ns

HOUR = 3600


def clocks_are_turned(stage, *players):
    """The loop really reads the turned clocks and sets its timer by them: else all here would prove nothing."""
    deadline = time.monotonic() + PATIENCE
    for player in players:
        while not (player.host.get("clock_reads") and player.host.get("timers_set")):
            assert time.monotonic() < deadline, "the shim was not asked"
            time.sleep(0.01)
    stage.counts["clock faults"] += 1


def steps_of_the_wall_clock_change_nothing(stage):
    leader, follower = stage.pair()
    for step in (HOUR, -HOUR, -HOUR, HOUR):
        for player in (leader, follower):
            before = player.host.shown_ns("wall")
            player.host.step("wall", step)
            assert abs(player.host.shown_ns("wall") - before) > 3500e9
            clocks_are_turned(stage, player)
        stage.wait_until_valid(leader, raw_ns() + 1_000_000_000)
    leader.host.step("wall", HOUR)
    follower.host.step("wall", -HOUR)
    stage.wait_until_valid(leader, raw_ns() + 3_500_000_000)
    assert leader.find("stopped") is None and follower.find("started") is None
    leader.kill()
    follower.wait("started")


def a_frozen_wall_clock_still_gives_signs_of_life(stage):
    leader, follower = stage.pair()
    leader.host.run("wall", 0)
    clocks_are_turned(stage, leader)
    shown = leader.host.shown_ns("wall")
    stage.wait_until_valid(leader, raw_ns() + 8_000_000_000)
    assert leader.host.shown_ns("wall") == shown
    assert leader.find("stopped") is None and follower.find("started") is None


def a_leader_that_slept_finds_its_term_over_when_it_wakes(stage):
    leader, follower = stage.pair()
    stage.wait_until_valid(leader, raw_ns() + 600_000_000)
    leader.host.step("boot", 60)
    woke = raw_ns()
    clocks_are_turned(stage, leader)
    stopped = leader.wait("stopped", patience=PATIENCE)
    assert leader.valid_until() <= woke, "it led on after it woke"
    assert (stopped["raw_ns"] - woke) / 1e9 < LATE
    follower.wait("started")


def cut_off_at_rates(stage, of_leader, of_follower):
    leader, follower = stage.pair()
    leader.host.run("boot", of_leader)
    follower.host.run("boot", of_follower)
    clocks_are_turned(stage, leader, follower)
    # A renewal sent and seen by the turned clocks.
    stage.wait_until_valid(leader, raw_ns() + 2_500_000_000)
    leader.link.cut()
    follower.wait("started")
    leader.wait("stopped", patience=PATIENCE)
    leader.link.heal()
    time.sleep(0.1)


def a_follower_whose_clock_runs_faster_by_almost_half_does_not_start_early(stage):
    cut_off_at_rates(stage, 1.0, 1.45)


def a_leader_whose_clock_runs_slower_by_almost_a_third_does_not_stay_late(stage):
    cut_off_at_rates(stage, 1 / 1.45, 1.0)


def beyond_the_promised_rate_the_judge_sees_it(stage):
    """The planted fault: twice as fast is more than lease_duration / renew_deadline = 1.5."""
    cut_off_at_rates(stage, 1.0, 2.2)

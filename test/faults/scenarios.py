"""What is done to real candidates on real servers, and what must hold after it. Each scenario is a function of a Stage;
its name is its promise. That no two lead at one time, and the rest of the history, is judged after each of them.
"""

import time

from stage import PATIENCE, raw_ns

LATE = 10  # seconds that a busy machine may need to say what has been true since long


def pause_past_the_lease(leader, follower):
    leader.pause()
    paused = raw_ns()
    follower.wait("started")
    return paused


def ends_by_its_deadline(stage, leader, cut_at):
    """Its last renewal was sent before the cut, so it leads until renew_deadline after that and not a moment longer."""
    stopped = leader.wait("stopped", patience=PATIENCE)
    led_on = (leader.valid_until() - cut_at) / 1e9
    assert led_on <= stage.renew_deadline, f"led on for {led_on:.3f} s"
    said_after = (stopped["raw_ns"] - cut_at) / 1e9
    assert said_after < stage.renew_deadline + LATE, f"said stopped after {said_after:.3f} s"


def cut_off(stage, fault):
    """The leader alone is cut off; the follower leads; the way is mended, and the old leader changes nothing."""
    leader, follower = stage.pair(flags=["--again"])
    fault(leader.link)
    cut_at = raw_ns()
    ends_by_its_deadline(stage, leader, cut_at)
    number = follower.wait("started")["fencing_token"]
    leader.link.heal()
    leader.wait("new_leader", leader=follower.name)  # what it knew before the cut does not count any more
    stage.wait_until_valid(follower, raw_ns() + 2_000_000_000)
    assert follower.find("stopped") is None
    assert number > leader.find("started")["fencing_token"]


def a_leader_paused_past_its_lease_finds_it_over_at_its_first_look(stage):
    leader, follower = stage.pair()
    paused = pause_past_the_lease(leader, follower)
    resumed = raw_ns()
    leader.go_on()
    stopped = leader.wait("stopped")
    # A look under way when the signal came may have begun before it; none that began after it found the term valid.
    assert leader.valid_until() <= paused + 100_000_000, "it took itself for the leader after the pause"
    assert (stopped["raw_ns"] - resumed) / 1e9 < LATE
    assert leader.process.wait(PATIENCE) == 1


def a_leader_that_was_replaced_while_paused_releases_nothing(stage):
    leader, follower = stage.pair()
    pause_past_the_lease(leader, follower)
    leader.ask_to_stop()
    leader.go_on()
    leader.process.wait(PATIENCE)
    stage.wait_until_valid(follower, raw_ns() + 4_000_000_000)
    assert follower.find("stopped") is None


def a_killed_leader_is_followed_and_not_before_its_lease_is_over(stage):
    leader, follower = stage.pair()
    leader.kill()
    follower.wait("started")


def a_leader_cut_off_without_a_word_ends_by_its_deadline(stage):
    cut_off(stage, lambda link: link.cut())


def a_leader_whose_bytes_are_dropped_ends_by_its_deadline(stage):
    cut_off(stage, lambda link: link.drop())


def a_leader_whose_server_accepts_and_never_answers_ends_by_its_deadline(stage):
    cut_off(stage, lambda link: link.half_open())


def a_leader_refused_at_every_attempt_ends_by_its_deadline(stage):
    cut_off(stage, lambda link: link.reset())


def replies_later_than_the_margin_and_then_a_cut_leave_one_leader(stage):
    # Later than the margin, but in time for the request's own deadline. Then no request gets through any more, while the
    # last reply still does: a term counted from it would last beyond the lease that others saw renewed 0.8 s earlier.
    leader, follower = stage.pair(flags=["--again"])
    leader.link.delay(replies=0.8)
    stage.wait_until_valid(leader, raw_ns() + 3_500_000_000)
    leader.link.delay(requests=PATIENCE, replies=0.8)
    ends_by_its_deadline(stage, leader, raw_ns())
    follower.wait("started")
    leader.link.heal()


def a_release_that_cannot_get_through_does_not_delay_the_stop(stage):
    leader, follower = stage.pair()
    leader.link.stall()
    cut_at = raw_ns()
    leader.ask_to_stop()
    ends_by_its_deadline(stage, leader, cut_at)
    leader.link.heal()  # a disk that hangs holds up the process's end, though not the stop
    assert leader.process.wait(PATIENCE) == 0
    follower.wait("started")


def a_reply_lost_after_the_commit_costs_no_term(stage):
    leader, follower = stage.pair()
    for lost in range(1, 4):
        leader.link.lose_replies(1)
        deadline = time.monotonic() + PATIENCE
        while leader.link.lost_replies() < lost:
            assert time.monotonic() < deadline, "no reply was lost"
            time.sleep(0.01)
        stage.wait_until_valid(leader, raw_ns() + 1_000_000_000)
    stage.wait_until_valid(leader, raw_ns() + int(stage.renew_deadline * 1e9))
    assert leader.find("stopped") is None and follower.find("started") is None


def a_take_over_whose_reply_is_lost_begins_one_term(stage):
    leader, follower = stage.pair(flags=["--again"])
    leader.kill()
    follower.link.lose_replies(1)
    follower.wait("started")
    stage.wait_until_valid(follower, raw_ns() + 2_000_000_000)


def connections_that_break_again_and_again_cost_no_term(stage):
    leader, follower = stage.pair()
    leader.link.delay(replies=0.3)  # so that most of them break under a request
    for _ in range(8):
        leader.link.reset_once()
        follower.link.reset_once()
        time.sleep(0.4)
    leader.link.heal()
    stage.wait_until_valid(leader, raw_ns() + int(stage.renew_deadline * 1e9))
    assert leader.find("stopped") is None and follower.find("started") is None


def whatever_the_way_does_there_are_never_two_leaders_and_one_in_the_end(stage):
    players = [stage.add(flags=["--again"]) for _ in range(3)]
    stage.leader()
    faults = [lambda link: link.drip(0.0005), lambda link: link.delay(replies=0.9), lambda link: link.delay(requests=0.9)]
    faults += [lambda link: link.half_open(), lambda link: link.drop(), lambda link: link.reset_once(), lambda link: link.cut()]
    for fault in faults:
        leader = next((p for p in players if p.valid_until() > raw_ns() - 100_000_000), players[0])
        fault(leader.link)
        time.sleep(1.7)
        leader.link.heal()
    leader = stage.leader()
    stage.wait_until_valid(leader, raw_ns() + 500_000_000)


def hand_offs_start_nobody_twice(stage):
    players = [stage.add() for _ in range(3)]
    for _ in range(10):
        leader = stage.leader([player for player in players if player.process.poll() is None])
        players.append(stage.add())
        leader.ask_to_stop()
        leader.process.wait(PATIENCE)
    stage.counts["hand-offs"] += 10
    assert all(len([e for e in p.candidate.events if e["event"] == "started"]) <= 1 for p in players)


def two_processes_of_one_name_do_not_both_lead(stage):
    leader = stage.add(identity="same")
    leader.wait("started")
    other = stage.add(identity="same")
    other.wait("new_leader", leader="same")
    stage.wait_until_valid(leader, raw_ns() + 4_000_000_000)
    assert other.find("started") is None and leader.find("stopped") is None
    leader.kill()
    assert other.wait("started")["fencing_token"] > leader.find("started")["fencing_token"]


def a_server_that_hangs_leaves_no_leader_and_one_when_it_goes_on(stage):
    leader, follower = stage.pair(flags=["--again"])
    stage.control("stop")
    hung_at = raw_ns()
    try:
        ends_by_its_deadline(stage, leader, hung_at)
        time.sleep(2)
        assert follower.find("started") is None, "nobody can have told it so"
    finally:
        stage.control("cont")
    stage.wait_until_valid(stage.leader(), raw_ns() + 500_000_000)


def a_server_killed_and_started_again_has_one_leader(stage):
    leader, follower = stage.pair(flags=["--again"])
    stage.control("kill")
    killed_at = raw_ns()
    stage.control("restart")
    leader = stage.leader()
    stage.wait_until_valid(leader, max(killed_at + 4_000_000_000, raw_ns() + 500_000_000))

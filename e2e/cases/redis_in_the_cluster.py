"""The election on Redis: a clean hand-over, a killed leader, a Redis that is stopped for longer than a term, and one that is killed
and comes back with what it had."""

from faults import delete_pod, kill, stopped_process
from stage import LEASE_DURATION, RENEW_DEADLINE

LONGEST_GAP = 2 * LEASE_DURATION + 30


def redis(stage):
    (pod,) = stage.pods("app.kubernetes.io/name=redis")
    return pod


def run(stage):
    stage.deploy("redis")
    leader = stage.steady_leader()
    delete_pod(stage, leader.pod)
    stage.note_hand_over(leader, stage.leader(after=leader))

    second = stage.lasting_leader()
    kill(stage.pod(second.pod))
    stage.leader(after=second)
    third = stage.steady_leader()

    server = redis(stage)
    with stopped_process(server, server.processes()[0][0]) as elapsed:
        stage.await_end_of_work(third, 60)
        stage.expect_no_leader_for(max(0.5, RENEW_DEADLINE + 1 - elapsed()), than=third)
    stage.leader(after=third)
    stage.steady_leader()

    kill(redis(stage))
    stage.steady_leader(30)
    stage.note(f"{len(stage.leaders())} leaders")

"""Without the right to the Lease the leader stops at its renew deadline and nobody follows it; with it given back, one leads."""

from faults import without_rights
from stage import LEASE_DURATION

LONGEST_GAP = 3 * LEASE_DURATION + 20


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    with without_rights(stage):
        stage.await_end_of_work(leader, 60)
        stage.expect_no_leader_for(LEASE_DURATION + 1, than=leader)
    stage.leader(after=leader)
    stage.steady_leader(10)

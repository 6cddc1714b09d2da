"""The Lease is deleted under its leader. Without the right to create one nobody leads until it is applied again; with that right
the candidates make it anew. Numbers go on rising either way."""

from stage import LEASE, LEASE_DURATION
from wait import Failed

LONGEST_GAP = 3 * LEASE_DURATION + 20


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    stage.kubectl("delete", "lease", LEASE)
    stage.await_end_of_work(leader, 60)
    stage.expect_no_leader_for(LEASE_DURATION + 1, than=leader)
    stage.apply("lease")
    stage.leader(after=leader)
    second = stage.steady_leader()

    stage.apply("create")
    stage.kubectl("delete", "lease", LEASE)
    stage.leader(after=second)
    stage.steady_leader(10)
    if "DELETED" not in {lease["watch"] for lease in stage.history.leases}:
        raise Failed("kubectl get lease -w shows no deletion")

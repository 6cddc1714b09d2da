"""A whole pod is frozen past the end of its Lease, work and all, as on a paused machine. Its work, thawed first, writes on, and
the log refuses it by its number; thawed too, leader-elector ends it."""

from faults import FrozenPod
from wait import Failed, wait_for


def refusals(stage, leader):
    return [line for line in stage.logs.look() if line["event"] == "refused" and line["number"] == leader.number]


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    stage.excused.add((leader.identity, leader.number))
    frozen = FrozenPod(stage.pod(leader.pod))
    try:
        successor = stage.leader(after=leader)
        stage.steady_leader()
        frozen.thaw_work()
        wait_for("the stale leader's write to be refused", lambda: refusals(stage, leader))
    finally:
        frozen.thaw()
    stage.await_end_of_work(leader)
    stage.expect_to_lead_still(successor)
    if any(line["stored"] < successor.number for line in refusals(stage, leader)):
        raise Failed(f"refused, but not because of {successor.number}: {refusals(stage, leader)}")
    stage.note(f"{len(refusals(stage, leader))} stale writes refused")

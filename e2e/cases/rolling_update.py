"""A rolling update replaces every pod: never two leaders, and never long without one, for each one that goes hands over."""

from stage import LEASE_DURATION
from wait import Failed

# Three hand-overs, none of which waits for an expiry.
LONGEST_GAP = LEASE_DURATION - 0.5


def run(stage):
    stage.deploy()
    before = {pod.name for pod in stage.pods()}
    stage.steady_leader()
    stage.kubectl("rollout", "restart", "deployment", "leader-elector")
    stage.kubectl("rollout", "status", "deployment", "leader-elector", "--timeout=180s", timeout=200)
    stage.await_ready(3)
    leader = stage.steady_leader(10)
    if leader.pod in before:
        raise Failed(f"{leader.pod} leads, which was replaced")
    stage.note(f"{len(stage.leaders())} leaders from before to after the update")

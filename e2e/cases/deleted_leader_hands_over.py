"""A leader deleted with kubectl (SIGTERM) ends its work, releases the Lease, and another one leads long before it would expire."""

from faults import delete_pod
from stage import LEASE_DURATION
from wait import Failed, wait_for

# Less than the shortest time after which a Lease that was not released could be taken.
LONGEST_GAP = LEASE_DURATION - 0.5


def run(stage):
    stage.deploy()
    for _ in range(3):
        leader = stage.steady_leader()
        delete_pod(stage, leader.pod)
        successor = stage.leader(after=leader)
        if "" not in stage.history.holders():
            raise Failed(f"kubectl get lease -w shows no release: {stage.history.holders()}")
        goodbye = f"{leader.identity} stopped leading"
        wait_for("an Event of the old leader", lambda message=goodbye: message in stage.events(), 30)
        stage.note_hand_over(leader, successor)
        stage.await_ready(3)

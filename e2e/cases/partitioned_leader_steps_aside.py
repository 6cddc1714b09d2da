"""The leader is cut off by iptables, without a reset: its work ends before another leads. Healed, it follows."""

from faults import partition
from wait import Failed


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    pod = stage.pod(leader.pod)
    with partition(pod):
        successor = stage.leader(after=leader)
        if successor.pod == leader.pod:
            raise Failed(f"{leader.pod} leads though it is cut off")
        stage.steady_leader()
    stage.await_follower(leader.pod)
    stage.expect_to_lead_still(successor)

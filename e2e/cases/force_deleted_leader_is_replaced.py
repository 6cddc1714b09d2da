"""A leader deleted by force (no grace period) is replaced; its pod's processes end whenever the kubelet gets to it."""

from faults import delete_pod


def run(stage):
    stage.deploy()
    for _ in range(2):
        leader = stage.steady_leader()
        delete_pod(stage, leader.pod, force=True)
        stage.leader(after=leader)
        stage.await_ready(3)

"""Replicas that come cost nobody the lead; when the leader is among those that go, another one leads."""


def run(stage):
    stage.deploy(replicas=1)
    leader = stage.steady_leader()
    stage.scale(5)
    stage.await_ready(5)
    stage.expect_to_lead_still(leader)
    # Marked as the cheapest, the leader is among the three that go.
    leader = stage.steady_leader()
    stage.kubectl("annotate", "pod", leader.pod, "controller.kubernetes.io/pod-deletion-cost=-100")
    stage.scale(2)
    successor = stage.leader(after=leader)
    stage.await_ready(2)
    stage.steady_leader(10)
    stage.note_hand_over(leader, successor)

"""Of three replicas one leads, and everyone who is asked names it: the Lease, kubectl get lease -w, an Event, /leader of every pod."""

from wait import Failed, wait_for


def run(stage):
    stage.deploy()
    leader = stage.steady_leader(20)

    spec = stage.lease()["spec"]
    if spec["holderIdentity"] != leader.identity:
        raise Failed(f"the Lease is held by {spec['holderIdentity']}, but {leader.identity} writes")
    wait_for("kubectl get lease -w to show it", lambda: stage.history.holders()[-1:] == [leader.identity], 10)
    wait_for("an Event of the new leader", lambda: f"{leader.identity} became leader" in stage.events(), 30)

    for pod in stage.pods():
        answer = pod.ask("/leader")
        if answer["isLeader"] != (pod.name == leader.pod) or answer["leader"]["identity"] != leader.identity:
            raise Failed(f"/leader of {pod.name} says {answer}")
        if pod.name == leader.pod and answer["fencingToken"] != leader.number:
            raise Failed(f"/leader gives the number {answer['fencingToken']}, the witness has {leader.number}")
    stage.expect_to_lead_still(leader)

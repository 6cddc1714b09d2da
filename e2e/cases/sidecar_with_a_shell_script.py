"""A program that asks leader-elector beside it who leads, and a shell script as the command that leader-elector runs. The script
ignores SIGTERM and forgets a process in another session; all of it is gone before another leads."""

from faults import delete_pod, elector_process, stopped_process
from wait import Failed, wait_for

CONTAINER = "leader-elector"
OWN = {"leader-elector", "le-watcher"}  # the processes that are not the script's


def said_last(stage, pod):
    """The last answer that the program has had in this pod."""
    stage.logs.look()
    text = (stage.folder / "pods" / pod / "program.0.log").read_text(encoding="utf-8")
    answers = [line.rsplit(" ", 1)[1] for line in text.splitlines() if "only-leader answers" in line]
    return answers[-1] if answers else None


def await_routing(stage):
    """Until the program of the leader's pod, and no other, is told that it is the leader's. Returns the leader."""

    def right():
        leader = stage.steady_leader()
        told = {pod.name: said_last(stage, pod.name) for pod in stage.pods()}
        return leader if told == {name: "200" if name == leader.pod else "503" for name in told} else None

    return wait_for("every program to know who leads", right, 60, pace=0.5)


def run(stage):
    stage.deploy("sidecar")
    leader = await_routing(stage)

    pod = stage.pod(leader.pod)
    names = sorted({name for _, name in pod.processes(CONTAINER)})
    if names != [*sorted(OWN), "sh", "sleep", "witness"]:
        raise Failed(f"the script does not run as it should: {names}")
    with stopped_process(pod, elector_process(pod, CONTAINER)):
        successor = stage.leader(after=leader)
        left = {name for _, name in pod.processes(CONTAINER)} - OWN
    if left:
        raise Failed(f"{leader.pod} still runs {left} while {successor.pod} leads")
    successor = await_routing(stage)

    delete_pod(stage, successor.pod)
    stage.leader(after=successor)
    stage.await_ready(3)
    await_routing(stage)

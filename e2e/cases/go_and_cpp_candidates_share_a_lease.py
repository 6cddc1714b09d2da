"""client-go candidates and ours on one Lease, with the same work: each kind takes over from the other, after a release and after a
kill. Of client-go's own leaders only what the log took is judged: they may stop late and start early by their own rules."""

from faults import delete_pod, kill
from stage import LEASE_DURATION
from wait import wait_for

# client-go's followers poll, up to 2.2 retry periods apart, and see a change as late as that.
LONGEST_GAP = LEASE_DURATION + 15

GO = "go-candidate"
OURS = "leader-elector"


def scale(stage, kind, replicas):
    stage.kubectl("scale", "deployment", kind, f"--replicas={replicas}")
    ready = lambda: len([pod for pod in stage.pods(f"app.kubernetes.io/name={kind}") if pod.is_ready()]) == replicas  # noqa: E731
    wait_for(f"{replicas} ready pods of {kind}", ready, pace=0.5)


def leader_of(stage, kind, after):
    """The first leader of this kind after that one."""
    leader = stage.leader(after=after)
    while not leader.pod.startswith(kind):
        leader = stage.leader(after=leader)
    return leader


def excuse_go(stage):
    stage.excused |= {(line["identity"], line["number"]) for line in stage.logs.look() if line["identity"].startswith(GO)}


def run(stage):
    try:
        play(stage)
    finally:
        excuse_go(stage)
    kinds = ["Go" if leader.pod.startswith(GO) else "C++" for leader in stage.leaders()]
    stage.note("led in turn: " + ", ".join(kinds))


def play(stage):
    stage.deploy("mixed")
    leader = stage.steady_leader()
    if leader.pod.startswith(GO):
        scale(stage, GO, 0)
        leader = leader_of(stage, OURS, leader)
        scale(stage, GO, 2)
    # Ours releases, theirs takes over; and the other way round.
    scale(stage, OURS, 0)
    theirs = leader_of(stage, GO, leader)
    scale(stage, OURS, 2)
    stage.steady_leader()
    scale(stage, GO, 0)
    leader_of(stage, OURS, theirs)
    scale(stage, GO, 2)
    stage.steady_leader()
    # The same after a kill: whoever it is that leads then.
    scale(stage, OURS, 1)
    for _ in range(4):
        leader = stage.lasting_leader()
        kill(stage.pod(leader.pod))
        stage.leader(after=leader)
    leader = stage.lasting_leader()
    delete_pod(stage, leader.pod)
    stage.leader(after=leader)

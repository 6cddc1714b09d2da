"""The leader's process is killed (SIGKILL) from the node, ten times in a row; the Lease is waited out each time."""

from faults import kill
from stage import LEASE_DURATION
from wait import Failed

KILLS = 10
# A container that has died often is started again late; with five, each dies twice.
REPLICAS = 5


def run(stage):
    stage.deploy(replicas=REPLICAS)
    takeovers = []
    for _ in range(KILLS):
        leader = stage.steady_leader()
        kill(stage.pod(leader.pod))
        successor = stage.leader(after=leader)
        takeovers.append((successor.started_ns - stage.last_sign_ns(leader)) / 1e9)
    # A witness writes ten times a second, and the elector renews twice: the last renewal is at most half a second older
    # than the last entry, and whoever waited less than the rest of the Lease has been early.
    early = [seconds for seconds in takeovers if seconds < LEASE_DURATION - 1]
    if early:
        raise Failed(f"taken over early: after {early} s of a Lease of {LEASE_DURATION} s")
    stage.note(f"{KILLS} kills; taken over after {min(takeovers):.1f} to {max(takeovers):.1f} s")

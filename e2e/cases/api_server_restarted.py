"""The API server is killed and comes back: one leader all the time, or none, and in the end one."""

from faults import restart_api_server
from stage import LEASE_DURATION

# How long it takes to come back is not ours to say; a busy machine needs most of a minute.
LONGEST_GAP = 120 + LEASE_DURATION


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    gone = restart_api_server(stage.cluster)
    newest = stage.steady_leader(10)
    stage.note(f"gone for {gone:.1f} s; {'the leader stayed' if newest == leader else 'the leader changed'}")

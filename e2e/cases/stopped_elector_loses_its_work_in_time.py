"""leader-elector alone is stopped (SIGSTOP) past the end of its Lease: its watcher ends the work before another leads, and
continued (SIGCONT) it follows."""

from faults import elector_process, stopped_process
from stage import LEASE_DURATION
from wait import Failed


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    pod = stage.pod(leader.pod)
    with stopped_process(pod, elector_process(pod)) as elapsed:
        successor = stage.leader(after=leader)
        stopped_for = elapsed()
    if successor.pod == leader.pod:
        raise Failed(f"{leader.pod} leads though it is stopped")
    if stage.last_sign_ns(leader) >= successor.started_ns:
        raise Failed("the work of the stopped leader outlived its Lease")
    stage.note(f"stopped for {stopped_for:.1f} s of a Lease of {LEASE_DURATION} s")

    stage.await_follower(leader.pod)
    stage.expect_to_lead_still(successor)

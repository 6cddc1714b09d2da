"""etcd is stopped for longer than the renew deadline: nobody can renew, so the work ends, and nobody else can begin. Continued,
one leads with a larger number."""

from faults import paused_etcd
from stage import LEASE_DURATION, RENEW_DEADLINE
from wait import boot_ns, wait_for

LONGEST_GAP = LEASE_DURATION + 25


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    begin = boot_ns()
    with paused_etcd(stage.cluster) as elapsed:
        # The work is given the rest of the Lease to end in, and told of nothing more.
        ended = lambda: boot_ns() - max(begin, stage.last_sign_ns(leader)) > 2.5e9  # noqa: E731
        wait_for("the end of the leader's work", lambda: elapsed() > RENEW_DEADLINE and ended(), 30)
        stage.expect_no_leader_for(1, than=leader)
        paused_for = elapsed()
    successor = stage.leader(after=leader)
    stage.steady_leader(10)
    stage.note(f"paused for {paused_for:.1f} s; led again {(successor.started_ns - begin) / 1e9 - paused_for:.1f} s after it went on")

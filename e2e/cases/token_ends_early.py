"""The service account's token. Replaced before it ends, it costs no term. Ended early, with the object that it is bound to, it costs
the term and nobody leads; with a new one in the file, one leads again."""

from stage import LEASE_DURATION
from wait import boot_ns, wait_for

# A server remembers for ten seconds that a token was good, and a kubelet may take its time to renew a file.
LONGEST_GAP = 10 + 90 + LEASE_DURATION


def bound_token(stage, number):
    """A token that ends when the Secret it is bound to is deleted."""
    stage.kubectl("create", "secret", "generic", f"bound-{number}")
    return stage.kubectl("create", "token", "leader-elector", "--bound-object-kind=Secret", f"--bound-object-name=bound-{number}").strip()


def hand_out(stage, token):
    """Into the Secret that the pods have mounted; a change of the pod makes the kubelet look at once."""
    draft = ["create", "secret", "generic", "token", "--from-file=token=/dev/stdin", "--dry-run=client", "-o", "yaml"]
    stage.kubectl("apply", "-f", "-", stdin=stage.kubectl(*draft, stdin=token))
    for pod in stage.pods():
        stage.kubectl("annotate", "pod", pod.name, "--overwrite", f"e2e/token-handed-out={boot_ns()}")


def await_handed_out(stage, token):
    def everywhere():
        path = "/var/run/secrets/kubernetes.io/serviceaccount/token"
        return all(stage.kubectl("exec", pod.name, "--", "cat", path).strip() == token for pod in stage.pods())

    wait_for("the token in every pod", everywhere, 150, pace=1)


def run(stage):
    stage.cluster.kubectl("create", "namespace", stage.namespace)
    stage.kubectl("create", "serviceaccount", "leader-elector")
    first = bound_token(stage, 1)
    hand_out(stage, first)
    stage.deploy("token")
    leader = stage.steady_leader()

    second = bound_token(stage, 2)
    hand_out(stage, second)
    await_handed_out(stage, second)
    stage.kubectl("delete", "secret", "bound-1")
    stage.await_entries_for(10 + LEASE_DURATION)
    stage.expect_to_lead_still(leader)

    leader = stage.steady_leader()
    stage.kubectl("delete", "secret", "bound-2")
    stage.await_end_of_work(leader, 60)
    stage.expect_no_leader_for(LEASE_DURATION + 1, than=leader)
    third = bound_token(stage, 3)
    hand_out(stage, third)
    stage.leader(after=leader, patience=150)
    stage.steady_leader(10)

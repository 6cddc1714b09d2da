"""What happens to pods and to the control plane in the world, done on purpose. Faults that last are contexts: they end, and
are undone, at the end of the block, whatever happens in it."""

import time
from contextlib import contextmanager

from wait import Failed, boot_ns, wait_for

ELECTOR = "leader-elector"
WORK = "witness"


def kill(pod, container=None):
    """SIGKILL to the container's first process, from its node; everything in the container dies with it."""
    first, _ = pod.processes(container)[0]
    pod.node.signal("KILL", [first])


@contextmanager
def stopped_process(pod, number):
    """One process of the pod is stopped (SIGSTOP). Gives a function that tells for how many seconds it is so already: on a busy
    machine that is longer than one meant."""
    pod.node.signal("STOP", [number])
    begin = boot_ns()
    try:
        yield lambda: (boot_ns() - begin) / 1e9
    finally:
        pod.node.signal("CONT", [number])


def elector_process(pod, container=None):
    """leader-elector itself, which is the container's first process."""
    number, name = pod.processes(container)[0]
    if name != ELECTOR:
        raise Failed(f"the first process of {pod.name} is {name}")
    return number


def work_processes(pod, container=None):
    return [number for number, name in pod.processes(container) if name == WORK]


class FrozenPod:
    """All processes of a container stopped at once, as by a paused machine: nobody is left who could end the work in time."""

    def __init__(self, pod, container=None):
        self.node = pod.node
        self.work = work_processes(pod, container)
        self.others = [number for number, name in pod.processes(container) if name != WORK]
        self.node.signal("STOP", [*self.work, *self.others])

    def thaw_work(self):
        self.node.signal("CONT", self.work)

    def thaw(self):
        self.node.signal("CONT", [*self.others, *self.work])


MARK = "e2e-partition"  # in the comment of each rule


@contextmanager
def partition(pod):
    """Nothing reaches the pod any more, and nothing leaves it: its node drops all, and resets no connection."""
    rules = [("INPUT", "-s"), ("FORWARD", "-s"), ("FORWARD", "-d"), ("OUTPUT", "-d")]
    lines = [f"iptables --wait -I {chain} {flag} {pod.address} -m comment --comment {MARK} -j DROP" for chain, flag in rules]
    pod.node.run("sh", "-c", " && ".join(lines))
    try:
        yield
    finally:
        heal(pod.node)


def heal(node):
    """Takes away all partitions on the node, also those of a run that was killed."""
    node.run("sh", "-c", f"iptables -S | grep {MARK} | sed 's/^-A/-D/' | while read -r rule; do iptables --wait $rule; done")


def restart_api_server(cluster):
    """SIGKILL to it; the kubelet starts it again. Returns how many seconds nobody answered."""
    server = cluster.static_pod("kube-apiserver")
    begin = time.monotonic()
    first, _ = server.processes()[0]
    server.node.signal("KILL", [first])
    wait_for("the API server to be gone", lambda: not cluster.is_ready())
    wait_for("the API server to be back", cluster.is_ready, pace=0.5)
    return time.monotonic() - begin


@contextmanager
def paused_etcd(cluster):
    pod = cluster.static_pod("etcd")
    first, _ = pod.processes()[0]
    with stopped_process(pod, first) as elapsed:
        yield elapsed


def delete_pod(stage, name, force=False):
    """As kubectl does it: SIGTERM and a grace period, or neither."""
    how = ["--grace-period=0", "--force"] if force else []
    stage.kubectl("delete", "pod", name, "--wait=false", *how)


@contextmanager
def without_rights(stage):
    """The RoleBinding is deleted, and given back as it was."""
    binding = stage.kubectl("get", "rolebinding", "leader-elector", "-o", "yaml")
    stage.kubectl("delete", "rolebinding", "leader-elector")
    try:
        yield
    finally:
        lines = [line for line in binding.splitlines() if not line.strip().startswith(("resourceVersion:", "uid:", "creationTimestamp:"))]
        wait_for("the rights to be given back", lambda: stage.succeeds("apply", "-f", "-", stdin="\n".join(lines)))

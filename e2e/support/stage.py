"""Where a case plays: a namespace with candidates whose leader runs the witness, and all that is observed of them."""

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import evidence
from cluster import Pod
from lease_history import LeaseHistory
from pod_logs import PodLogs
from wait import PACE, PATIENCE, Failed, boot_ns, wait_for

OVERLAYS = Path(__file__).resolve().parents[1] / "overlays"
LEASE = "leader-elector"
LOG = "witness-log"

# As in overlays/lease/deployment.yaml, in seconds.
LEASE_DURATION = 5
RENEW_DEADLINE = 3


@dataclass(frozen=True)
class Leader:
    """Somebody of whom the log has taken an entry."""

    identity: str
    number: int
    started_ns: int
    first_ack_ns: int

    @property
    def pod(self):
        return evidence.pod_of(self.identity)


class Stage:
    def __init__(self, cluster, name, folder: Path, options=None):
        self.cluster, self.folder, self.options = cluster, folder, options
        self.namespace = f"e2e-{name.replace('_', '-')}"[:63].rstrip("-")
        self.logs = PodLogs([node.root() for node in cluster.nodes.values()], self.namespace, folder / "pods")
        self.history = LeaseHistory(cluster, self.namespace, LEASE)
        self.excused = set()
        self.notes = []
        self.open = ExitStack()

    def __enter__(self):
        self.remove()
        self.await_removed()
        self.open.enter_context(self.logs)
        return self

    def __exit__(self, *_):
        self.open.close()

    def note(self, text):
        """Something measured, shown with the case's result."""
        self.notes.append(text)

    # What is there.

    def kubectl(self, *arguments, **more):
        return self.cluster.kubectl(*arguments, namespace=self.namespace, **more)

    def succeeds(self, *arguments, **more):
        try:
            self.kubectl(*arguments, **more)
            return True
        except Failed:
            return False

    def get(self, *arguments):
        return self.cluster.get(*arguments, namespace=self.namespace)

    def lease(self):
        return self.get("lease", LEASE)

    def pods(self, selector="app.kubernetes.io/name=leader-elector"):
        found = self.get("pods", "--selector", selector)["items"]
        return [Pod(self.cluster, one) for one in found]

    def pod(self, name):
        return Pod(self.cluster, self.get("pod", name))

    def events(self):
        """What the Lease's Events say, in no order."""
        found = self.get("events")["items"]
        return [one["message"] for one in found if one["involvedObject"]["kind"] == "Lease" and one["reason"] == "LeaderElection"]

    # Setting up.

    def deploy(self, overlay="lease", replicas=3):
        """Applies an overlay as a user would, in the case's own namespace, and waits for a leader."""
        self.apply(overlay)
        if replicas != 3:
            self.scale(replicas)
        self.await_ready(replicas)
        return self.leader()

    def apply(self, overlay):
        folder = self.folder / "overlay"
        folder.mkdir(exist_ok=True)
        base = os.path.relpath(OVERLAYS / overlay, folder)
        lines = ["apiVersion: kustomize.config.k8s.io/v1beta1", "kind: Kustomization", f"namespace: {self.namespace}"]
        (folder / "kustomization.yaml").write_text("\n".join([*lines, "resources:", f"  - {base}"]) + "\n", encoding="utf-8")
        self.cluster.kubectl("apply", "-k", folder)
        if overlay != "redis":
            self.follow_lease()

    def follow_lease(self):
        if not self.history.thread.is_alive():
            self.open.enter_context(self.history)

    def scale(self, replicas):
        self.kubectl("scale", "deployment", "leader-elector", f"--replicas={replicas}")

    def await_ready(self, replicas, patience=PATIENCE):
        def all_ready():
            pods = self.pods()
            return len(pods) == replicas and all(pod.is_ready() for pod in pods)

        wait_for(f"{replicas} ready pods", all_ready, patience, pace=0.5)

    # Who leads, from the witnesses' own words.

    def leaders(self):
        found = {}
        starts = {}
        for line in self.logs.look():
            key = (line["identity"], line["number"])
            if line["event"] == "started":
                starts[key] = line["boot_ns"]
            if line["event"] == "acknowledged" and key not in found:
                found[key] = Leader(*key, starts.get(key, line["sent_ns"]), line["boot_ns"])
        return sorted(found.values(), key=lambda leader: leader.number)

    def leader(self, after=None, patience=PATIENCE):
        """The newest leader; newer than `after`, if given."""
        least = after.number if after else 0

        def newest():
            leaders = self.leaders()
            return leaders[-1] if leaders and leaders[-1].number > least else None

        return wait_for(f"a leader after {after.identity}" if after else "a leader", newest, patience)

    def steady_leader(self, entries=5, patience=PATIENCE):
        """The newest leader, once it has had so many more entries acknowledged. On a busy machine that may be another one than
        a moment ago, whose term was lost for want of a processor."""
        begin = boot_ns()

        def newest():
            leader = self.leader()
            lines = [line for line in self.logs.look() if line["event"] == "acknowledged" and line["number"] == leader.number]
            return leader if sum(line["sent_ns"] > begin for line in lines) >= entries else None

        return wait_for(f"a leader that writes {entries} entries", newest, patience)

    def lasting_leader(self):
        """The newest leader, once that is one whose pod is not about to go."""

        def newest():
            leader = self.steady_leader()
            staying = {pod.name for pod in self.pods("app.kubernetes.io/name") if not pod.is_ending()}
            return leader if leader.pod in staying else None

        return wait_for("a leader that stays", newest, pace=0.5)

    def expect_to_lead_still(self, leader):
        """It does, or it has lost its term because it could not renew it in time: that is the machine's fault, and is noted."""
        newest = self.steady_leader()
        if newest.number == leader.number:
            return
        reasons = [ending.get("reason") for ending in self.logs.endings if ending["identity"] == leader.identity]
        if "not renewed in time" not in reasons:
            raise Failed(f"{newest.identity} leads in place of {leader.identity}, which stopped for {reasons}")
        self.note(f"{leader.identity} was not renewed in time: a busy machine")

    def expect_no_leader_for(self, seconds, than):
        """Nobody but `than` writes in that time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            newest = self.leaders()[-1]
            if newest.number != than.number:
                raise Failed(f"{newest.identity} leads, where nobody should after {than.identity}")
            time.sleep(0.2)

    def last_sign_ns(self, leader):
        return max(line["boot_ns"] for line in self.logs.look() if line["number"] == leader.number)

    def note_hand_over(self, leader, successor):
        seconds = (successor.started_ns - self.last_sign_ns(leader)) / 1e9
        self.note(f"{seconds:.3f} s from the last sign of the old leader's work to the first of the new one's")

    def await_entries_for(self, seconds):
        """There is a leader, and it writes, for that long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.steady_leader()

    def await_follower(self, pod):
        """Until /leader of that pod names another one."""

        def follows():
            answer = self.pod(pod).ask("/leader")
            return not answer["isLeader"] and answer["leader"] and answer["leader"]["identity"] != answer["identity"]

        wait_for(f"{pod} to follow", follows, pace=0.5)

    def await_end_of_work(self, leader, patience=PATIENCE):
        """Until nothing has been heard of its work for longer than the work's own patience."""
        wait_for(f"the end of {leader.identity}'s work", lambda: boot_ns() - self.last_sign_ns(leader) > 2e9, patience)

    def excuse(self, pod, begin_ns, end_ns):
        """The terms of which this pod has said something in that time, or a little before or after."""
        margin = 2e9
        self.excused |= {(line["identity"], line["number"]) for line in self.logs.look()
                         if evidence.pod_of(line["identity"]) == pod and begin_ns - margin < line["boot_ns"] < end_ns + margin}  # fmt: skip

    # At the end.

    def gather(self):
        read_ns = boot_ns()
        terms = evidence.parse_terms(self.get("configmap", LOG))
        if terms:
            self._await_told(terms[-1])
        return evidence.Evidence(terms, self.logs.look(), read_ns, list(self.history.leases), self.excused)

    def _await_told(self, term):
        """The last writer may be about to tell of its entry, or dead."""
        told = lambda: any(line.get("entry") == term.last for line in self.logs.look())  # noqa: E731
        deadline = time.monotonic() + 2
        while not told() and time.monotonic() < deadline:
            time.sleep(PACE)

    def remove(self):
        self.cluster.kubectl("delete", "namespace", self.namespace, "--ignore-not-found", "--wait=false")

    def await_removed(self):
        names = lambda: self.cluster.kubectl("get", "namespaces", "-o", "name").split()  # noqa: E731
        wait_for(f"the end of {self.namespace}", lambda: f"namespace/{self.namespace}" not in names(), pace=1)

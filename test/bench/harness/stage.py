"""Where a measure runs: how much effort it may make, the servers, the contestants, and everything that must be ended."""

import os
import sys
import time
from contextlib import ExitStack

from candidates import Candidate, Troupe

LONG = ("15s", "10s", "2s")
SHORT = ("3s", "2s", "500ms")
NAMES = {LONG: "15/10/2", SHORT: "3/2/0.5"}
SECONDS = {LONG: 15, SHORT: 3}


class LeaseKind:
    """How a candidate of one contestant is started on a Lease."""

    def __init__(self, name, command, namespace, kubeconfig, more=()):
        self.name = "".join(letter if letter.isalnum() else "-" for letter in name)
        self.program, self.namespace, self.kubeconfig, self.more = command, namespace, kubeconfig, more

    def command(self, lock):
        words = [*self.program, "--kubeconfig", self.kubeconfig, "--namespace", self.namespace, "--name", lock, *self.more]
        return [str(word) for word in words]


class Stage:
    def __init__(self, is_full, contestants, servers, folder):
        self.is_full, self.contestants, self.servers, self.folder = is_full, contestants, servers, folder
        self.started = time.monotonic()
        self.locks = 0
        self.measure = ""
        self.ending = ExitStack()
        self._cluster = None
        self.log = (folder / "candidates.log").open("w", encoding="utf-8")

    def effort(self, quick, full):
        return full if self.is_full else quick

    def progress(self, text):
        passed = int(time.monotonic() - self.started)
        print(f"[{passed // 60:3}:{passed % 60:02}] {self.measure}: {text}", file=sys.stderr, flush=True)

    def rounds(self, count, what="round"):
        for number in range(count):
            if number * 10 // count != (number - 1) * 10 // count:
                self.progress(f"{what} {number + 1} of {count}")
            yield number

    @property
    def cluster(self):
        from harness.cluster import Cluster  # its variables are there once the server is

        if self._cluster is None:
            self.servers.need("kube-apiserver")
            self._cluster = Cluster()
        return self._cluster

    def lock_name(self):
        self.locks += 1
        return f"bench-{os.getpid()}-{self.locks}"

    def kinds(self, more=()):
        """{contestant: kind} of all who stand on Leases."""
        cluster = self.cluster
        return {name: LeaseKind(name, command, cluster.namespace, cluster.kubeconfig("elector"), more)
                for name, command in self.contestants.in_role("candidate").items()}  # fmt: skip

    def troupe(self, kind, durations, size=3):
        troupe = Troupe(kind, self.lock_name(), durations, self.log, size)
        self.ending.callback(troupe.end)
        return troupe

    def candidate(self, command, identity):
        candidate = Candidate(command, identity, self.log)
        self.ending.callback(candidate.end)
        return candidate

    def clear(self):
        """Ends every process of a measure."""
        self.ending.close()

    def close(self):
        self.clear()
        self.log.close()

"""`kubectl get lease -w`: every state of the Lease that the API server showed, with the time at which we saw it."""

import json
import subprocess
import threading

from wait import boot_ns

PAUSE = 0.5  # seconds, before a watch that has ended is begun anew


class LeaseHistory:
    """Follows one Lease; a watch that ends, with the API server for example, is begun anew. Use as a context."""

    def __init__(self, cluster, namespace, name):
        arguments = ["get", "lease", name, "--watch", "--output-watch-events", "-o", "json", "--request-timeout=0"]
        self.command = cluster.kubectl_command(*arguments, namespace=namespace)
        self.leases = []
        self.versions = set()
        self.process = None
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        with self.lock:
            self.ended.set()
            if self.process:
                self.process.kill()
        self.thread.join()

    def _follow(self):
        while not self.ended.is_set():
            with self.lock:
                if self.ended.is_set():
                    return
                self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in self.process.stdout:
                self._add(json.loads(line))
            self.process.stdout.close()
            self.process.wait()
            self.ended.wait(PAUSE)

    def _add(self, event):
        lease = event["object"]
        version = lease["metadata"]["resourceVersion"]
        if version not in self.versions:
            self.versions.add(version)
            self.leases.append(lease | {"seen_ns": boot_ns(), "watch": event["type"]})

    def holders(self):
        """The holders one after the other, as a watcher sees them."""
        found = []
        for lease in list(self.leases):
            holder = (lease.get("spec") or {}).get("holderIdentity") or ""
            if not found or found[-1] != holder:
                found.append(holder)
        return found

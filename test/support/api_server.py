"""The API server that hack/kube-apiserver.sh has started, for tests that are programs. Says how to get one if it is not
there: an error where CI is set, else a skipped test."""

import json
import os
import subprocess
import sys
from pathlib import Path

HINT = "no API server: run 'eval \"$(hack/kube-apiserver.sh env)\"' after 'hack/kube-apiserver.sh up', or hack/test.sh -L lease"
SKIPPED = 77  # what ctest takes for a skipped test


def require():
    if "LEADERELECTION_TEST_KUBE_DIR" not in os.environ:
        print(HINT)
        sys.exit(1 if os.environ.get("CI") else SKIPPED)


class ApiServer:
    def __init__(self):
        self.folder = Path(os.environ["LEADERELECTION_TEST_KUBE_DIR"])
        self.namespace = os.environ["LEADERELECTION_TEST_KUBE_NAMESPACE"]
        self.script = os.environ["LEADERELECTION_TEST_KUBE_SCRIPT"]
        self.audit_log = Path(os.environ["LEADERELECTION_TEST_KUBE_AUDIT_LOG"])

    def kubeconfig(self, user):
        return self.folder / "kubeconfig" / user

    def kubectl(self, *arguments, user="admin"):
        command = [os.environ["LEADERELECTION_TEST_KUBECTL"], "--kubeconfig", self.kubeconfig(user)]
        command += ["--cache-dir", self.folder / "kubectl-cache", "--namespace", self.namespace, "--request-timeout=60s"]
        return subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout

    def lease(self, name):
        return json.loads(self.kubectl("get", "lease", name, "-o", "json"))

    def control(self, command):
        """stop, cont, kill, restart."""
        subprocess.run([self.script, command], check=True, capture_output=True, text=True)

    def requests(self, user, start):
        """The verbs that this user has sent for Leases since `start` (a position in the audit log)."""
        with self.audit_log.open(encoding="utf-8") as log:
            log.seek(start)
            entries = [json.loads(line) for line in log if line.endswith("\n")]
        return [entry["verb"] for entry in entries
                if entry["user"]["username"] == user and entry.get("objectRef", {}).get("resource") == "leases"]  # fmt: skip

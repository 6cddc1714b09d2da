"""The cluster that hack/kind.sh has made: what one can ask of it, and its nodes, which are containers of this host."""

import json
import os
import shlex
import subprocess
from pathlib import Path

from wait import Failed

REQUEST_TIMEOUT = 30  # seconds
COMMAND_TIMEOUT = 90


def run(command, stdin=None, timeout=COMMAND_TIMEOUT):
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as expired:
        raise Failed(f"{shlex.join(command)}: no end after {timeout} s") from expired
    if done.returncode != 0:
        raise Failed(f"{shlex.join(command)}: exit code {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Node:
    """A node of the cluster: its name is that of a container of this host."""

    def __init__(self, name):
        self.name = name

    def run(self, *command):
        return run(["docker", "exec", self.name, *command])

    def root(self):
        """The node's files, as this host sees them."""
        process = run(["docker", "inspect", "--format", "{{.State.Pid}}", self.name]).strip()
        return Path("/proc") / process / "root"

    def processes(self, container):
        """The container's processes as the node numbers them: pairs of number and name, the first one first."""
        script = 'for id in $(ctr -n k8s.io tasks ps "$1" | awk "NR > 1 { print \\$1 }"); do echo "$id $(cat /proc/$id/comm)"; done'
        found = [line.split(maxsplit=1) for line in self.run("sh", "-c", script, "sh", container).splitlines()]
        return sorted((int(number), name) for number, name in found)

    def signal(self, name, processes):
        self.run("kill", f"-{name}", *(str(number) for number in processes))


class Cluster:
    def __init__(self):
        self.nodes = {name: Node(name) for name in os.environ["LEADERELECTION_KIND_NODES"].split()}
        self.control_plane = self.nodes[os.environ["LEADERELECTION_KIND_CONTROL_PLANE"]]

    def kubectl_command(self, *arguments, namespace=None):
        command = [os.environ["KUBECTL"], f"--request-timeout={REQUEST_TIMEOUT}s"]
        return command + (["--namespace", namespace] if namespace else []) + [str(part) for part in arguments]

    def kubectl(self, *arguments, namespace=None, stdin=None, timeout=COMMAND_TIMEOUT):
        return run(self.kubectl_command(*arguments, namespace=namespace), stdin, timeout)

    def get(self, *arguments, namespace=None):
        return json.loads(self.kubectl("get", *arguments, "-o", "json", namespace=namespace))

    def is_ready(self):
        try:
            return self.kubectl("get", "--raw", "/readyz") == "ok"
        except Failed:
            return False

    def static_pod(self, component):
        """A part of the control plane: etcd, kube-apiserver."""
        name = f"{component}-{self.control_plane.name}"
        return Pod(self, self.get("pod", name, namespace="kube-system"))


class Pod:
    """A pod as it was when it was asked for."""

    def __init__(self, cluster, description):
        self.cluster = cluster
        self.description = description
        self.name = description["metadata"]["name"]
        self.namespace = description["metadata"]["namespace"]
        self.address = description["status"].get("podIP")

    @property
    def node(self):
        return self.cluster.nodes[self.description["spec"]["nodeName"]]

    def is_ready(self):
        conditions = self.description["status"].get("conditions", [])
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions) and not self.is_ending()

    def is_ending(self):
        return "deletionTimestamp" in self.description["metadata"]

    def processes(self, container=None):
        """Those of the container of this name, or of the only one."""
        statuses = self.description["status"]["containerStatuses"]
        status = next(one for one in statuses if container in (None, one["name"]))
        found = self.node.processes(status["containerID"].removeprefix("containerd://"))
        if not found:
            raise Failed(f"nothing runs in {self.name}")
        return found

    def ask(self, path):
        """What the admin endpoint answers, by way of the API server."""
        where = f"/api/v1/namespaces/{self.namespace}/pods/{self.name}:8080/proxy{path}"
        return json.loads(self.cluster.kubectl("get", "--raw", where))

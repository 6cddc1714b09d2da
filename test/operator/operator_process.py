"""example-operator as a process, with the rights that its manifests give it, in a namespace of its own."""

import itertools
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

PATIENCE = 180  # seconds; what takes longer has failed
MANIFESTS = Path(__file__).parents[2] / "manifests/example-operator"
NUMBER = r"{.metadata.annotations.example\.leaderelection/fencing-token}"
CHECKSUM = r"{.metadata.annotations.example\.leaderelection/checksum}"


def eventually(condition, what="it"):
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come to pass")
        time.sleep(0.1)
    return found


class Lines:
    """What a process has written, line by line."""

    def __init__(self, stream):
        self.lines = []
        self.stream = stream
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.stream:
            self.lines.append(line.rstrip("\n"))

    def matching(self, pattern):
        return [line for line in list(self.lines) if re.search(pattern, line)]

    def wait(self, pattern):
        try:
            return eventually(lambda: self.matching(pattern))[0]
        except AssertionError:
            raise AssertionError(f"no '{pattern}' in {self.lines[-10:]}") from None


class Operator:
    def __init__(self, place, identity, seconds=15, server=None):
        host, port = server or place.server_address
        environment = os.environ | {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": str(port)}
        command = [os.environ["EXAMPLE_OPERATOR"], "--identity", identity, "--lease-seconds", str(seconds)]
        command += ["--service-account", place.account]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.log = Lines(self.process.stderr)

    def send(self, number):
        self.process.send_signal(number)

    def numbers(self):
        """Of all its terms."""
        return [int(re.search(r"fencing_token=(\d+)", line).group(1)) for line in self.log.matching("became leader")]

    def leads(self):
        self.log.wait("became leader")
        return self.numbers()[0]

    def end(self):
        if self.process.poll() is None:
            self.send(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        self.log.reader.join()
        self.process.stderr.close()


class Place:
    """A namespace with the operator's Lease, account and role, as the manifests have them, and the account's files."""

    counter = itertools.count()

    def __init__(self, server, folder, kinds=("ServiceAccount", "Role", "RoleBinding", "Lease")):
        self.server, self.account = server, folder / "account"
        self.name = f"operator-{os.getpid()}-{next(self.counter)}"
        address = os.environ["LEADERELECTION_TEST_KUBE_SERVER"].removeprefix("https://")
        self.server_address = (address.rpartition(":")[0], int(address.rpartition(":")[2]))
        server.kubectl("create", "namespace", self.name)
        self.apply(kinds)
        self.account.mkdir()
        token = server.kubectl("create", "token", "example-operator", "--namespace", self.name)
        (self.account / "token").write_text(token, encoding="utf-8")
        (self.account / "namespace").write_text(self.name, encoding="utf-8")
        (self.account / "ca.crt").write_bytes(Path(os.environ["LEADERELECTION_TEST_KUBE_CA"]).read_bytes())

    def apply(self, kinds, manifests=MANIFESTS):
        """Those kinds of the manifests, here instead of in the namespace that they name."""
        documents = self.server.kubectl("kustomize", manifests).split("\n---\n")
        wanted = [text for text in documents if re.search(r"^kind: (\w+)$", text, re.MULTILINE).group(1) in kinds]
        text = "\n---\n".join(wanted).replace("namespace: example-operator", f"namespace: {self.name}")
        path = self.account.parent / "manifests.yaml"
        path.write_text(text, encoding="utf-8")
        self.server.kubectl("apply", "--namespace", self.name, "-f", path)

    def kubectl(self, *arguments):
        return self.server.kubectl(*arguments, "--namespace", self.name)

    def add(self, name, managed=True, **data):
        literals = [f"--from-literal={key}={value}" for key, value in data.items()]
        text = self.kubectl("create", "configmap", name, *literals, "--dry-run=client", "-o", "yaml")
        if managed:
            text = text.replace("metadata:\n", "metadata:\n  labels: {example.leaderelection/managed: 'true'}\n", 1)
        path = self.account.parent / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        self.kubectl("create", "-f", path)

    def change(self, name, **data):
        pairs = ",".join(f'"{key}":"{value}"' for key, value in data.items())
        self.kubectl("patch", "configmap", name, "--type=merge", "-p", '{"data":{' + pairs + "}}")

    def status(self, name):
        """(checksum, number): empty and 0 if there is none."""
        text = self.kubectl("get", "configmap", name, "-o", f"jsonpath={CHECKSUM} {NUMBER}")
        checksum, _, number = text.partition(" ")
        return checksum, int(number or 0)


class History:
    """Every version of the managed ConfigMaps that the server has had since."""

    def __init__(self, place):
        server = place.server
        command = [os.environ["LEADERELECTION_TEST_KUBECTL"], "--kubeconfig", server.kubeconfig("admin"), "-n", place.name]
        command += ["get", "configmaps", "-l", "example.leaderelection/managed=true", "--watch", "-o"]
        command += ["jsonpath={.metadata.name} " + NUMBER + "\n"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.log = Lines(self.process.stdout)

    def numbers(self):
        numbers = {}
        for line in list(self.log.lines):
            name, _, number = line.partition(" ")
            if number:
                numbers.setdefault(name, []).append(int(number))
        return numbers

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.reader.join()
        self.process.stdout.close()


def falls(numbers):
    """The first place where a smaller number follows a larger one, or nothing."""
    for name, sequence in numbers.items():
        for before, after in itertools.pairwise(sequence):
            if after < before:
                return name, before, after
    return None

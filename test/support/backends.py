"""The locks that candidates stand on in tests of faults, each on its real server: how a candidate is told of it, the way
between the two, and what can be done to the server. Both ways to break a lock have the same words: FaultProxy for servers,
DiskLink for a folder.
"""

import os
import subprocess
import sys
from pathlib import Path

import api_server
from fault_proxy import FaultProxy


class Backend:
    """One lock of the backend's kind, by name."""

    needs = ()  # the variables that say where the server is
    hint = ""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name

    def link(self, host):
        """The way between one candidate and the lock, with faults; `host`: what the candidate sees of its host."""
        raise NotImplementedError

    def flags(self, link):
        raise NotImplementedError

    def environment(self):
        return {}

    def control(self, command):
        """stop, cont, kill, restart."""
        raise NotImplementedError

    def close(self):
        pass

    @classmethod
    def require(cls):
        if all(variable in os.environ for variable in cls.needs):
            return
        print(f"no server: {cls.hint}, or hack/test.sh -L faults")
        sys.exit(1 if os.environ.get("CI") else api_server.SKIPPED)


class Served(Backend):
    port = 0

    def link(self, host):
        return FaultProxy(self.port)


class Lease(Served):
    needs = ("LEADERELECTION_TEST_KUBE_DIR",)
    hint = "run hack/kube-apiserver.sh up and eval what its env says"

    def __init__(self, folder, name):
        super().__init__(folder, name)
        self.server = api_server.ApiServer()
        self.url = os.environ["LEADERELECTION_TEST_KUBE_SERVER"]
        self.port = int(self.url.rsplit(":", 1)[1])
        self.control = self.server.control

    def flags(self, link):
        text = self.server.kubeconfig("elector").read_text(encoding="utf-8")
        kubeconfig = self.folder / f"kubeconfig-{link.port}"
        kubeconfig.write_text(text.replace(self.url, f"https://127.0.0.1:{link.port}"), encoding="utf-8")
        return ["--kubeconfig", kubeconfig, "--namespace", self.server.namespace, "--name", self.name]


class Redis(Served):
    needs = ("LEADERELECTION_TEST_REDIS_STANDALONE_DIR",)
    hint = "run hack/redis.sh up standalone and eval what its env says"

    def __init__(self, folder, name):
        super().__init__(folder, name)
        self.run_folder = os.environ["LEADERELECTION_TEST_REDIS_STANDALONE_DIR"]
        self.port = int(os.environ["LEADERELECTION_TEST_REDIS_STANDALONE_SERVERS"].rsplit(":", 1)[1])

    def flags(self, link):
        return ["--redis", f"redis://127.0.0.1:{link.port}", "--name", self.name]

    def script(self, command, *more):
        words = [os.environ["LEADERELECTION_TEST_REDIS_SCRIPT"], command, "standalone", "--dir", self.run_folder, *more]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def control(self, command):
        self.script("start" if command == "restart" else command, "server")


class OwnRedis(Redis):
    """A server for this test alone, so that it can be taken down while other tests go on."""

    def __init__(self, folder, name):
        super().__init__(folder, name)
        self.run_folder = folder / "redis"
        self.script("up")
        self.port = int((self.run_folder / "server.port").read_text(encoding="ascii"))

    def close(self):
        self.script("down")


class Consul(Served):
    needs = ("LEADERELECTION_TEST_CONSUL_DIR",)
    hint = "run hack/consul.sh up and eval what its env says"

    def __init__(self, folder, name):
        super().__init__(folder, name)
        self.port = int(os.environ["LEADERELECTION_TEST_CONSUL_HTTP"].rsplit(":", 1)[1])

    def flags(self, link):
        key = os.environ["LEADERELECTION_TEST_CONSUL_PREFIX"] + self.name
        return ["--consul", f"http://127.0.0.1:{link.port}", "--name", key]

    def environment(self):
        return {"CONSUL_HTTP_TOKEN_FILE": os.environ["LEADERELECTION_TEST_CONSUL_TOKEN_FILE"]}

    def control(self, command):
        words = [os.environ["LEADERELECTION_TEST_CONSUL_SCRIPT"], command]
        subprocess.run(words, check=True, capture_output=True, text=True)


class DiskLink:
    """The faults of a FaultProxy, done to one candidate's disk."""

    def __init__(self, host):
        self.host = host
        self.faults = 0
        self.to_lose = 0

    @property
    def counts(self):
        return {"faults": self.faults}

    def heal(self):
        self.host.break_disk(disk_full=0, disk_hangs=0, sync_fails=0, sync_delay=0)

    def _break(self, **faults):
        self.faults += 1
        self.host.break_disk(**faults)

    def stall(self):
        """Whoever is at it when the disk hangs has the others wait too: it is his turn."""
        self._break(disk_hangs=1)

    def cut(self):
        self._break(disk_full=1)

    drop = half_open = reset = cut

    def reset_once(self):
        self._break(sync_fails=1)

    def delay(self, requests=0.0, replies=0.0):
        """A request that is late by more than a second is as good as none."""
        self._break(disk_full=int(requests > 1), sync_delay=round((replies + requests % 1) * 1000))

    def drip(self, pause):
        self._break(sync_delay=round(pause * 1e6))

    def lose_replies(self, count=1):
        self.to_lose += count
        self._break(sync_fails=count)

    def lost_replies(self):
        return self.to_lose - self.host.get("sync_fails")

    def close(self):
        pass


class File(Backend):
    def __init__(self, folder, name):
        super().__init__(folder, name)
        self.hosts = []

    def link(self, host):
        self.hosts.append(host)
        return DiskLink(host)

    def control(self, command):
        """The disk hangs for all, and goes on; it cannot be killed."""
        for host in self.hosts:
            host.break_disk(disk_hangs={"stop": 1, "cont": 0}[command])

    def flags(self, link):
        return ["--file", self.folder / self.name]


BACKENDS = {"lease": Lease, "redis": Redis, "consul": Consul, "file": File}

"""The API server as the measures use it: a user for each candidate, so that the audit log tells them apart; a quick look at
a Lease; and what each user has asked for."""

import http.client
import json
import os
import ssl
import threading
import time
from datetime import datetime
from urllib.parse import urlsplit

import api_server
from candidates import boot_ns


def wall_ns(text):
    """An RFC 3339 time, which has no more than microseconds."""
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1e6) * 1000


def request_times(lines, user):
    """When this user has sent something for Leases. A request has one id, also if it is told of when it begins and ends."""
    found = {}
    for line in lines:
        if not line.endswith("\n") or user not in line:
            continue
        entry = json.loads(line)
        if entry["user"]["username"] == user and entry.get("objectRef", {}).get("resource") == "leases":
            found[entry["auditID"]] = wall_ns(entry["requestReceivedTimestamp"])
    return sorted(found.values())


def per_minute(times, minutes):
    """From the first to the last, so that it does not matter where the minutes begin; of few, how many there were."""
    if len(times) < 5:
        return len(times) / minutes
    return (len(times) - 1) * 6e10 / (times[-1] - times[0])


class User:
    def __init__(self, cluster, name, kubeconfig):
        self.cluster, self.kubeconfig = cluster, kubeconfig
        self.name = f"system:serviceaccount:{cluster.namespace}:{name}"

    def requests_since(self, position, minutes):
        """Per minute."""
        with self.cluster.audit_log.open(encoding="utf-8") as log:
            log.seek(position)
            return per_minute(request_times(log, self.name), minutes)


class Cluster(api_server.ApiServer):
    def __init__(self):
        super().__init__()
        self.users = 0
        self.lock = threading.Lock()
        self.link = None

    def user(self):
        """A new one, who may do what an election can make use of."""
        self.users += 1
        name = f"bench-{self.users}"
        self.kubectl("create", "serviceaccount", name)
        self.kubectl("create", "rolebinding", name, "--role=elector", f"--serviceaccount={self.namespace}:{name}")
        token = self.folder / "kubeconfig" / f"{name}.token"
        token.touch(mode=0o600)
        token.write_text(self.kubectl("create", "token", name, "--duration=24h").strip(), encoding="utf-8")
        text = self.kubeconfig("elector").read_text(encoding="utf-8")
        kubeconfig = self.kubeconfig(name)
        kubeconfig.write_text(text.replace(str(self.folder / "serviceaccount/elector/token"), str(token)), encoding="utf-8")
        return User(self, name, kubeconfig)

    def audit_position(self):
        return self.audit_log.stat().st_size

    def _connect(self):
        context = ssl.create_default_context(cafile=os.environ["LEADERELECTION_TEST_KUBE_CA"])
        context.load_cert_chain(self.folder / "pki/admin.crt", self.folder / "pki/admin.key")
        server = urlsplit(os.environ["LEADERELECTION_TEST_KUBE_SERVER"])
        return http.client.HTTPSConnection(server.hostname, server.port, timeout=60, context=context)

    def request(self, method, path):
        """As administrator, on a connection that is kept: starting kubectl would disturb what is measured."""
        with self.lock:
            for attempt in range(2):
                if self.link is None:
                    self.link = self._connect()
                try:
                    self.link.request(method, f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases{path}")
                    return json.loads(self.link.getresponse().read())
                except (OSError, http.client.HTTPException):
                    self.link = None
                    if attempt:
                        raise
        raise AssertionError

    def renewed_ns(self, name):
        """When the holder last renewed, by the boot clock. The two clocks do not step during a trial."""
        then = wall_ns(self.request("GET", f"/{name}")["spec"]["renewTime"])
        return boot_ns() - time.time_ns() + then

    def delete_leases(self):
        self.request("DELETE", "")

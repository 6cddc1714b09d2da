#!/usr/bin/env python3
"""Secrets that work, on real servers, with everything said that can be said: the log at full verbosity, all endpoints, all
commands, what is stored in the lock, while the server stands still and comes back. None of it holds a secret."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from elector import Elector

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import api_server  # noqa: E402

SHORT = ["--lease-duration=3s", "--renew-deadline=2s", "--retry-period=500ms"]
LOUD = ["--log-level=debug", "--log-format=json"]


class CanaryTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.heard = []

    def ask(self, arguments):
        asked = Elector(arguments)
        asked.wait()
        self.heard.append(asked.said())

    def fetch(self, port, path):
        try:
            answer = urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20)
        except urllib.error.HTTPError as refused:
            answer = refused
        self.heard.append(answer.read().decode() + str(answer.headers))

    def script(self, variable, *arguments):
        return subprocess.run([os.environ[variable], *arguments], check=True, capture_output=True, text=True).stdout

    def search(self, secret, lock, fault, recovery, stored):
        """Leads, loses the server, gets it back; then looks at all that was said on the way."""
        self.assertGreater(len(secret), 8)
        elector = Elector(["run", *lock, *SHORT, *LOUD, "--admin-address=127.0.0.1:0", "--metadata=zone=x", "--", "sleep", "1000"])
        self.addCleanup(elector.end)
        self.assertTrue(elector.says("command started"), elector.said())
        port = next(json.loads(line)["address"].rpartition(":")[2] for line in elector.said().splitlines() if "admin" in line and "address" in line)
        for path in ("/healthz", "/readyz", "/leader", "/metrics", "/step-down", "/nowhere"):
            self.fetch(port, path)
        self.ask(["status", *lock, "-o", "json"])
        self.ask(["step-down", *lock])
        self.heard.append(stored())
        fault()
        self.assertTrue(elector.says("not renewed in time"), elector.said())
        self.fetch(port, "/healthz")
        self.fetch(port, "/metrics")
        recovery()
        lost = elector.said().index("not renewed in time")
        self.assertTrue(elector.says("command started", after=lost), elector.said())
        elector.end()
        self.heard.append(elector.said())
        self.assertIn("request failed", elector.said())  # it was loud indeed
        for said in self.heard:
            self.assertNotIn(secret, said)
        with self.assertRaises(AssertionError):
            self.assertNotIn(secret, elector.said() + secret)

    def test_a_token_for_the_api_server(self):
        server = api_server.ApiServer()
        secret = (server.folder / "serviceaccount/elector/token").read_text(encoding="utf-8")
        name = f"canary-{os.getpid()}"
        lock = [f"--kubeconfig={server.kubeconfig('elector')}", f"--namespace={server.namespace}", f"--name={name}"]
        self.search(secret, lock, lambda: server.control("stop"), lambda: server.control("cont"),
                    lambda: server.kubectl("get", "lease", name, "-o", "json"))  # fmt: skip

    def test_a_password_for_redis(self):
        folder = Path(os.environ["LEADERELECTION_TEST_REDIS_TLS_DIR"])
        secret, port = "elector-secret", os.environ["LEADERELECTION_TEST_REDIS_TLS_SERVERS"].rpartition(":")[2]
        password = self.folder / "password"
        password.write_text(secret, encoding="utf-8")
        name = f"canary-{os.getpid()}"
        lock = ["--lock=redis", f"--redis-url=rediss://elector@localhost:{port}", f"--redis-password-file={password}",
                f"--redis-ca-file={folder}/pki/ca.crt", "--redis-key-prefix=lock", f"--name={name}"]  # fmt: skip

        def control(command, *more):
            return self.script("LEADERELECTION_TEST_REDIS_SCRIPT", command, "tls", "--dir", str(folder), "server", *more)

        self.search(secret, lock, lambda: control("stop"), lambda: control("cont"), lambda: control("cli", "get", f"lock:{name}"))

    def test_a_token_for_consul(self):
        token = Path(os.environ["LEADERELECTION_TEST_CONSUL_TOKEN_FILE"])
        key = f"{os.environ['LEADERELECTION_TEST_CONSUL_PREFIX']}canary-{os.getpid()}"
        address = os.environ["LEADERELECTION_TEST_CONSUL_HTTP"]
        lock = ["--lock=consul", f"--consul-address={address}", f"--consul-token-file={token}", f"--name={key}"]
        admin = Path(os.environ["LEADERELECTION_TEST_CONSUL_ADMIN_TOKEN_FILE"]).read_text(encoding="utf-8").strip()

        def stored():
            request = urllib.request.Request(f"{address}/v1/kv/{key}?raw", headers={"X-Consul-Token": admin})
            return urllib.request.urlopen(request, timeout=20).read().decode()

        self.search(token.read_text(encoding="utf-8").strip(), lock, lambda: self.script("LEADERELECTION_TEST_CONSUL_SCRIPT", "stop"),
                    lambda: self.script("LEADERELECTION_TEST_CONSUL_SCRIPT", "cont"), stored)  # fmt: skip


if __name__ == "__main__":
    api_server.require()
    unittest.main(verbosity=2)

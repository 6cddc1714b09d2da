#!/usr/bin/env python3
"""Tokens, client certificates and the authority itself are replaced a thousand times under leaders that renew every second,
over connections that break again and again: no term is lost. On an API server of its own, whose certificate is replaced too.

ROTATIONS says how many, if not a thousand."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from certificates import CURVE, Authority, Pair, openssl

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import api_server  # noqa: E402
from candidates import Candidate  # noqa: E402
from fault_proxy import FaultProxy  # noqa: E402

ROTATIONS = int(os.environ.get("ROTATIONS", "1000"))
BETWEEN_BREAKS = 50
DURATIONS = ["--lease-duration", "9s", "--renew-deadline", "6s", "--retry-period", "1s"]
LEADERS_OF_A_KIND = 3
POOL = 10  # certificates, tokens and authorities to choose from
OVERLAP = 4  # authorities that are still trusted beside the newest


class RotationTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.script = os.environ["LEADERELECTION_TEST_KUBE_SCRIPT"]
        self.control("up")
        self.addCleanup(self.control, "down")
        exports = [line.removeprefix("export ") for line in self.control("env").splitlines()]
        os.environ.update(shlex.split(line)[0].split("=", 1) for line in exports)
        self.server = api_server.ApiServer()
        self.proxy = FaultProxy(int(os.environ["LEADERELECTION_TEST_KUBE_SERVER"].rpartition(":")[2]))
        self.addCleanup(self.proxy.close)
        # The administrator follows the changes too; the server goes on knowing its clients by the authority it began with.
        self.trust([self.server.folder / "pki" / "ca.crt"])
        admin = self.server.kubeconfig("admin")
        admin.write_text(admin.read_text(encoding="utf-8").replace(str(self.server.folder / "pki/ca.crt"), str(self.folder / "ca.crt")), encoding="utf-8")

    def control(self, command):
        command = [self.script, command, "--dir", str(self.folder / "server")]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    # What there is to choose from.

    def make_tokens(self):
        return [self.server.kubectl("create", "token", "elector", "--duration=2h").strip() for _ in range(POOL)]

    def make_client_certificates(self):
        """Of the authority that the server knows its clients by, which stays."""
        known = Pair(self.server.folder / "pki", "ca")
        pairs = []
        for number in range(POOL):
            pair = Pair(self.folder, f"client-{number}")
            openssl("genpkey", *CURVE, "-out", pair.key)
            request = openssl("req", "-new", "-key", pair.key, "-subj", "/O=leaderelection-candidates/CN=candidate-0")
            openssl("x509", "-req", "-CA", known.certificate, "-CAkey", known.key, "-CAcreateserial", "-days", "2", "-out",
                    pair.certificate, text=request)  # fmt: skip
            pairs.append(pair)
        return pairs

    def make_authorities(self):
        """Pairs of an authority and the server's certificate of it."""
        made = []
        for number in range(POOL):
            folder = self.folder / f"authority-{number}"
            folder.mkdir()
            authority = Authority(folder, f"authority-{number}")
            made.append((authority, authority.issue()))
        return made

    # How it is replaced: by renaming, as kubelet and cert-manager do.

    def put(self, path, content):
        draft = path.with_suffix(".draft")
        draft.write_text(content, encoding="utf-8")
        draft.rename(path)

    def put_pair(self, target, pair):
        """A moment lies between the two files, in which they do not belong together."""
        self.put(target.key, pair.key.read_text(encoding="utf-8"))
        self.put(target.certificate, pair.certificate.read_text(encoding="utf-8"))

    def trust(self, certificates):
        self.put(self.folder / "ca.crt", "".join(path.read_text(encoding="utf-8") for path in certificates))

    def serve(self, authorities, number):
        """First the clients learn to trust the new one beside those that the server may not have left yet, then the server
        changes: the way that loses nobody."""
        trusted = [authorities[which % POOL][0].certificate for which in range(number - OVERLAP, number + 1)]
        self.trust(trusted)
        self.put_pair(Pair(self.server.folder / "pki", "server"), authorities[number % POOL][1])

    # Who leads.

    def stand(self, name, user):
        kubeconfig = self.folder / f"{name}.kubeconfig"
        kubeconfig.write_text(f"""
clusters: [{{name: c, cluster: {{server: 'https://127.0.0.1:{self.proxy.port}', certificate-authority: {self.folder}/ca.crt}}}}]
users: [{{name: u, user: {{{user}}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
current-context: x
""", encoding="utf-8")  # fmt: skip
        command = [os.environ["OUR_CANDIDATE"], "--kubeconfig", str(kubeconfig), "--namespace", self.server.namespace, "--name", name,
                   "--identity", name, *DURATIONS]  # fmt: skip
        candidate = Candidate(command, name, None)
        self.addCleanup(candidate.end)
        return candidate

    def renewals(self):
        """By the administrator, who sees the server through the authority of the moment."""
        leases = self.server.kubectl("get", "leases", "-o", "jsonpath={range .items[*]}{.metadata.name} {.spec.renewTime}{\"\\n\"}{end}")
        return {name: time for name, time in (line.split() for line in leases.splitlines() if len(line.split()) == 2)}

    def await_renewals(self, leaders):
        before, deadline = self.renewals(), time.monotonic() + 60
        while not all(self.renewals().get(leader.identity, "") > before[leader.identity] for leader in leaders):
            self.assertLess(time.monotonic(), deadline, "not all renewed")
            time.sleep(0.2)

    def test_a_thousand_rotations_of_everything_cost_no_term(self):
        tokens, certificates, authorities = self.make_tokens(), self.make_client_certificates(), self.make_authorities()
        self.put(self.folder / "token", tokens[0])
        own = Pair(self.folder, "own")
        self.put_pair(own, certificates[0])
        self.serve(authorities, 0)
        leaders = [self.stand(f"by-token-{n}", f"tokenFile: {self.folder}/token") for n in range(LEADERS_OF_A_KIND)]
        leaders += [self.stand(f"by-certificate-{n}", f"client-certificate: {own.certificate}, client-key: {own.key}") for n in range(LEADERS_OF_A_KIND)]
        for leader in leaders:
            leader.wait("started")

        for number in range(1, ROTATIONS + 1):
            self.put(self.folder / "token", tokens[number % POOL])
            self.put_pair(own, certificates[number % POOL])
            self.serve(authorities, number)
            if number % BETWEEN_BREAKS == 0:
                self.proxy.reset_once()
                self.await_renewals(leaders)
            time.sleep(0.01)

        self.await_renewals(leaders)
        for leader in leaders:
            self.assertIsNone(leader.find("stopped"), leader.identity)
            self.assertIsNone(leader.process.poll(), leader.identity)
        print(f"{ROTATIONS} rotations each of token, certificate and authority; {self.proxy.counts['connections']} connections")

    def test_a_leader_whose_authority_is_not_replaced_is_lost(self):
        """The check can fail: the server changes, the clients' file does not."""
        authorities = self.make_authorities()
        self.put(self.folder / "token", self.make_tokens()[0])
        self.serve(authorities, 0)
        leader = self.stand("left-behind", f"tokenFile: {self.folder}/token")
        leader.wait("started")
        self.put_pair(Pair(self.server.folder / "pki", "server"), authorities[1][1])
        deadline = time.monotonic() + 60
        while leader.find("stopped") is None and time.monotonic() < deadline:
            self.proxy.reset_once()
            time.sleep(1)
        self.assertIsNotNone(leader.find("stopped"))


if __name__ == "__main__":
    api_server.require()
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""Whom leader-elector does not talk to, and which credentials it does not take: each case says why in one line, ends `status`
with code 2, and lets no secret out, neither to the impostor nor into any output at full verbosity."""

import base64
import secrets
import shutil
import ssl
import stat
import tempfile
import unittest
from pathlib import Path

from certificates import WEAK_RSA, Authority, openssl, out_of_time
from elector import Elector
from impostor import Impostor, http

CANARY = f"canary-{secrets.token_hex(8)}"
EXEC = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never"
PATIENT = ["--lease-duration=60s", "--renew-deadline=40s", "--retry-period=100ms"]


class RefusalsTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.authority = Authority(self.folder)

    def write(self, name, content, mode=0o600):
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        path.chmod(mode)
        return path

    def impostor(self, *arguments, **keywords):
        made = Impostor(*arguments, **keywords)
        self.addCleanup(made.close)
        return made

    def kubeconfig(self, server, cluster=None, user=f"token: {CANARY}"):
        cluster = f"certificate-authority: {self.authority.certificate}" if cluster is None else cluster
        return self.write("kubeconfig", f"""
clusters: [{{name: c, cluster: {{server: '{server}', {cluster}}}}}]
users: [{{name: u, user: {{{user}}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u, namespace: default}}}}]
current-context: x
""")

    def lease(self, server, *, host="localhost", scheme="https", **how):
        return [f"--kubeconfig={self.kubeconfig(f'{scheme}://{host}:{server.port}', **how)}"]

    def redis(self, url):
        password = self.write("password", CANARY)
        return ["--lock=redis", f"--redis-url={url}", f"--redis-password-file={password}",
                *([f"--redis-ca-file={self.authority.certificate}"] if url.startswith("rediss") else [])]  # fmt: skip

    def consul(self, address):
        return ["--lock=consul", f"--consul-address={address}", f"--consul-token-file={self.write('token', CANARY)}",
                *([f"--consul-ca-file={self.authority.certificate}"] if address.startswith("https") else [])]  # fmt: skip

    def refused(self, because, arguments, by=None, variables=None):
        asked = Elector(["status", "--name=demo", "--timeout=30s", *arguments], variables)
        self.assertEqual(asked.wait(), 2, asked.said())
        self.assertIn(because, asked.said())
        self.assertEqual(asked.said().count("\n"), 1, asked.said())

        stood = Elector(["run", "--name=demo", *PATIENT, "--log-level=debug", "--log-format=json", *arguments, "--", "true"], variables)
        self.addCleanup(stood.end)
        self.assertTrue(stood.says(because), stood.said())
        stood.end()

        for output in (asked.said(), stood.said()):
            self.assertNotIn(CANARY, output)
            self.assertNotIn(base64.b64encode(CANARY.encode()).decode().rstrip("="), output)
        if by:
            self.assertNotIn(CANARY.encode(), by.heard)

    # What a server's certificate can be.

    def server_refused(self, because, host="localhost", cluster=None, **server):
        impostor = self.impostor(**server)
        self.refused(because, self.lease(impostor, host=host, cluster=cluster), by=impostor)

    def test_a_foreign_authority(self):
        (self.folder / "foreign").mkdir()
        foreign = Authority(self.folder / "foreign", "foreign")
        self.server_refused("unable to get local issuer certificate", pair=foreign.issue())

    def test_a_certificate_that_vouches_for_itself(self):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", self.folder / "own.key", "-out", self.folder / "own.crt")  # fmt: skip
        own = self.authority.issue("own-name")
        own.certificate, own.key = self.folder / "own.crt", self.folder / "own.key"
        self.server_refused("self-signed certificate", pair=own)

    def test_a_certificate_of_another_host(self):
        self.server_refused("certificate is for elsewhere.example, not localhost", pair=self.authority.issue(names="DNS:elsewhere.example"))

    def test_a_certificate_of_another_address(self):
        self.server_refused("certificate is for 127.0.0.2, not 127.0.0.1", host="127.0.0.1", pair=self.authority.issue(names="IP:127.0.0.2"))

    def test_a_host_name_does_not_stand_for_its_address(self):
        self.server_refused("not 127.0.0.1", host="127.0.0.1", pair=self.authority.issue(names="DNS:127.0.0.1,DNS:localhost"))

    def test_a_certificate_with_a_common_name_alone(self):
        self.server_refused("certificate is for no name, not localhost", pair=self.authority.issue(names=None))

    def test_a_wildcard_stands_for_one_label_only(self):
        pair = self.authority.issue(names="DNS:*.example")
        impostor = self.impostor(pair=pair)
        self.refused("not a.b.example", self.lease(impostor, cluster=f"certificate-authority: {self.authority.certificate}, tls-server-name: a.b.example"),
                     by=impostor)  # fmt: skip

    def test_a_server_name_that_was_asked_for_in_vain(self):
        cluster = f"certificate-authority: {self.authority.certificate}, tls-server-name: other"
        self.server_refused("not other", cluster=cluster, pair=self.authority.issue())

    def test_an_expired_certificate(self):
        self.server_refused("certificate has expired", pair=out_of_time(self.authority, "20200101000000Z", "20210101000000Z"))

    def test_a_certificate_of_the_future(self):
        self.server_refused("certificate is not yet valid", pair=out_of_time(self.authority, "21000101000000Z", "21010101000000Z"))

    def test_a_certificate_for_clients(self):
        self.server_refused("unsuitable certificate purpose", pair=self.authority.issue(usage="clientAuth"))

    def test_a_weak_key(self):
        self.server_refused("EE certificate key too weak", pair=self.authority.issue(key=WEAK_RSA), seclevel=0)

    def test_an_intermediate_authority_that_the_server_does_not_show(self):
        between = Authority(self.folder, "between", issuer=self.authority)
        self.server_refused("unable to get local issuer certificate", pair=between.issue())

    def test_an_issuer_that_is_no_authority(self):
        leaf = self.authority.issue("leaf", usage="serverAuth,clientAuth")
        pair = self.authority.issue("below")
        request = openssl("req", "-new", "-key", pair.key, "-subj", "/CN=localhost")
        self.write("below.ext", "subjectAltName=DNS:localhost")
        openssl("x509", "-req", "-CA", leaf.certificate, "-CAkey", leaf.key, "-CAcreateserial", "-days", "2", "-extfile",
                self.folder / "below.ext", "-out", pair.certificate, text=request)  # fmt: skip
        chain = self.write("chain.crt", pair.certificate.read_text() + leaf.certificate.read_text())
        self.server_refused("invalid CA certificate", pair=pair, chain=chain)

    def test_the_systems_roots_when_no_authority_is_named(self):
        self.server_refused("unable to get local issuer certificate", cluster="", pair=self.authority.issue())

    # What a server can be beside its certificate.

    def test_a_server_with_nothing_newer_than_tls_1_1(self):
        self.server_refused("no TLS 1.2 or newer", pair=self.authority.issue(), newest=ssl.TLSVersion.TLSv1_1, seclevel=0)

    def test_a_server_that_speaks_no_tls(self):
        self.server_refused("no TLS on this port", answer=http("400 Bad Request"))

    def test_a_server_that_sends_us_elsewhere(self):
        """Credentials follow no redirect."""
        elsewhere = self.impostor(pair=self.authority.issue("elsewhere"), answer=http("200 OK", "{}"))
        here = self.impostor(pair=self.authority.issue(), answer=http("307 Temporary Redirect", headers=[f"Location: https://localhost:{elsewhere.port}/"]))
        self.refused("307", self.lease(here))
        self.assertIn(CANARY.encode(), here.heard)  # it may hear it: its certificate is good
        self.assertEqual(elsewhere.heard, b"")

    def test_a_server_that_repeats_our_token(self):
        status = '{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no: Bearer %s"}' % CANARY
        here = self.impostor(pair=self.authority.issue(), answer=http("403 Forbidden", status, ["Content-Type: application/json"]))
        self.refused("403", self.lease(here))

    def test_a_proxy_that_answers_with_a_page(self):
        page = f"<html><body>{CANARY} login</body></html>"
        here = self.impostor(pair=self.authority.issue(), answer=http("200 OK", page, ["Content-Type: text/html"]))
        self.refused("text/html", self.lease(here))

    def test_plain_http_is_given_no_token(self):
        here = self.impostor(answer=http("200 OK", "{}"))
        self.refused("http", self.lease(here, scheme="http", cluster=""), by=here)

    # Our own certificates and tokens.

    def user_refused(self, because, user, **server):
        impostor = self.impostor(pair=self.authority.issue(), **server)
        self.refused(because, self.lease(impostor, user=user), by=impostor)

    def client(self, pair):
        return f"client-certificate: {pair.certificate}, client-key: {pair.key}"

    def test_no_certificate_where_the_server_wants_one(self):
        self.user_refused("certificate", f"token: {CANARY}", client_authority=self.authority.certificate, newest=ssl.TLSVersion.TLSv1_2)

    def test_a_certificate_that_the_server_does_not_know(self):
        (self.folder / "foreign").mkdir()
        own = Authority(self.folder / "foreign", "foreign").issue("client", usage="clientAuth")
        self.user_refused("refused our client certificate", self.client(own), client_authority=self.authority.certificate, newest=ssl.TLSVersion.TLSv1_2)

    def test_a_key_of_another_certificate(self):
        own = self.authority.issue("client", usage="clientAuth")
        own.key = self.authority.key
        self.user_refused("do not belong together", self.client(own))

    def test_a_key_with_a_password(self):
        own = self.authority.issue("client", usage="clientAuth")
        openssl("pkey", "-in", own.key, "-aes256", "-passout", f"pass:{CANARY}", "-out", self.folder / "locked.key")
        own.key = self.folder / "locked.key"
        self.user_refused("not an unencrypted private key", self.client(own))

    def test_a_key_that_is_none(self):
        own = self.authority.issue("client", usage="clientAuth")
        own.key = self.write("none.key", f"-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----\n")
        self.user_refused("not an unencrypted private key", self.client(own))

    def test_a_key_that_is_missing(self):
        own = self.authority.issue("client", usage="clientAuth")
        own.key = self.folder / "nowhere.key"
        self.user_refused("cannot read the client key", self.client(own))

    def test_a_certificate_without_its_key(self):
        own = self.authority.issue("client", usage="clientAuth")
        self.user_refused("without a client key", f"client-certificate: {own.certificate}")

    def test_a_token_file_that_is_missing(self):
        self.user_refused("nowhere", f"tokenFile: {self.folder}/nowhere")

    def test_a_token_file_that_is_empty(self):
        self.user_refused("is empty", f"tokenFile: {self.write('empty', '')}")

    def test_a_token_with_a_line_break(self):
        self.user_refused("token", f"tokenFile: {self.write('broken', f'{CANARY} x{chr(10)}Injected: yes')}")

    def test_an_authority_that_is_missing(self):
        self.server_refused("cannot read the CA file", cluster=f"certificate-authority: {self.folder}/nowhere", pair=self.authority.issue())

    def test_an_authority_that_is_no_certificate(self):
        cluster = f"certificate-authority: {self.write('none.crt', CANARY)}"
        self.server_refused("holds no certificate", cluster=cluster, pair=self.authority.issue())

    def test_an_authority_that_is_not_base64(self):
        self.server_refused("certificate-authority-data", cluster=f"certificate-authority-data: '{CANARY}!'", pair=self.authority.issue())

    # Exec plugins.

    def plugin(self, text):
        self.write("plugin", f"#!/bin/sh\n{text}\n", mode=stat.S_IRWXU)
        return f"exec: {{{EXEC}, command: ./plugin}}"

    def test_a_plugin_that_is_missing(self):
        self.user_refused("nowhere", f"exec: {{{EXEC}, command: ./nowhere}}")

    def test_a_plugin_that_fails_and_says_too_much(self):
        self.user_refused("plugin", self.plugin(f"echo {CANARY} >&2; echo {CANARY}; exit 3"))

    def test_a_plugin_that_talks_nonsense(self):
        self.user_refused("plugin", self.plugin(f"echo '{{\"token\": {CANARY}'"))

    def test_a_plugin_of_another_version(self):
        said = '{"apiVersion":"client.authentication.k8s.io/v2","kind":"ExecCredential","status":{"token":"%s"}}' % CANARY
        self.user_refused("plugin", self.plugin(f"printf '%s' '{said}'"))

    def test_a_plugin_whose_token_breaks_a_line(self):
        said = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s\\\\nX: y"}}' % CANARY
        self.user_refused("bearer token holds a character", self.plugin(f"printf '%s' '{said}'"))

    # Redis and Consul.

    def test_redis_of_a_foreign_authority(self):
        (self.folder / "foreign").mkdir()
        impostor = self.impostor(pair=Authority(self.folder / "foreign", "foreign").issue())
        self.refused("unable to get local issuer certificate", self.redis(f"rediss://elector@localhost:{impostor.port}"), by=impostor)

    def test_redis_of_another_name(self):
        impostor = self.impostor(pair=self.authority.issue(names="DNS:elsewhere.example"))
        self.refused("certificate is for elsewhere.example, not localhost", self.redis(f"rediss://elector@localhost:{impostor.port}"), by=impostor)

    def test_redis_that_speaks_no_tls(self):
        impostor = self.impostor(answer=b"-ERR unknown command\r\n")
        self.refused("no TLS on this port", self.redis(f"rediss://elector@localhost:{impostor.port}"), by=impostor)

    def test_redis_that_repeats_our_password(self):
        impostor = self.impostor(pair=self.authority.issue(), answer=f"-WRONGPASS {CANARY} is wrong\r\n".encode())
        self.refused("WRONGPASS", self.redis(f"rediss://elector@localhost:{impostor.port}"))

    def test_redis_that_talks_nonsense(self):
        impostor = self.impostor(pair=self.authority.issue(), answer=f"HTTP/1.1 400 {CANARY}\r\n\r\n".encode())
        self.refused("Redis", self.redis(f"rediss://elector@localhost:{impostor.port}"))

    def test_a_redis_url_that_is_none_is_not_quoted(self):
        self.refused("the scheme is neither", ["--lock=redis"], variables={"LEADER_ELECTOR_REDIS_URL": f"http://:{CANARY}@localhost"})

    def test_a_redis_password_file_that_is_missing(self):
        server = self.impostor(answer=b"+OK\r\n")
        self.refused("nowhere", ["--lock=redis", f"--redis-url=redis://localhost:{server.port}", f"--redis-password-file={self.folder}/nowhere"])

    def test_an_authority_for_a_redis_without_tls(self):
        self.refused("not enabled", ["--lock=redis", "--redis-url=redis://localhost:1", f"--redis-ca-file={self.authority.certificate}"])

    def test_consul_of_a_foreign_authority(self):
        (self.folder / "foreign").mkdir()
        impostor = self.impostor(pair=Authority(self.folder / "foreign", "foreign").issue())
        self.refused("unable to get local issuer certificate", self.consul(f"https://localhost:{impostor.port}"), by=impostor)

    def test_consul_of_another_name(self):
        impostor = self.impostor(pair=self.authority.issue(names="DNS:elsewhere.example"))
        self.refused("certificate is for elsewhere.example, not localhost", self.consul(f"https://localhost:{impostor.port}"), by=impostor)

    def test_consul_that_sends_us_elsewhere(self):
        elsewhere = self.impostor(pair=self.authority.issue("elsewhere"), answer=http("200 OK", "[]"))
        here = self.impostor(pair=self.authority.issue(), answer=http("307 Temporary Redirect", headers=[f"Location: https://localhost:{elsewhere.port}/"]))
        self.refused("307", self.consul(f"https://localhost:{here.port}"))
        self.assertEqual(elsewhere.heard, b"")

    def test_consul_that_repeats_our_token(self):
        here = self.impostor(pair=self.authority.issue(), answer=http("403 Forbidden", f"Permission denied: token {CANARY} lacks key:read"))
        self.refused("403", self.consul(f"https://localhost:{here.port}"))

    def test_a_consul_token_file_that_is_missing(self):
        self.refused("nowhere", ["--lock=consul", f"--consul-token-file={self.folder}/nowhere"])

    # The check itself.

    def test_a_secret_that_is_let_out_is_noticed(self):
        """A path is told, and a server that is trusted gets the token: a canary in either place must make the check fail."""
        with self.assertRaisesRegex(AssertionError, "unexpectedly found"):
            self.refused("nowhere", ["--lock=consul", f"--consul-token-file={self.folder}/nowhere-{CANARY}"])
        trusted = self.impostor(pair=self.authority.issue(), answer=http("403 Forbidden", "{}"))
        with self.assertRaisesRegex(AssertionError, "unexpectedly found"):
            self.refused("403", self.lease(trusted), by=trusted)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Certificates for the tests, made by the openssl command when they run: good ones, and every kind of bad one."""

import subprocess

CURVE = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
WEAK_RSA = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]


def openssl(*arguments, text=None):
    done = subprocess.run(["openssl", *map(str, arguments)], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr}")
    return done.stdout


class Pair:
    """A certificate and its key, as files."""

    def __init__(self, folder, name):
        self.certificate, self.key = folder / f"{name}.crt", folder / f"{name}.key"


class Authority(Pair):
    """Signs certificates. `issuer`: the authority above it; none: its own root."""

    def __init__(self, folder, name="authority", issuer=None):
        super().__init__(folder, name)
        self.folder = folder
        openssl("genpkey", *CURVE, "-out", self.key)
        may_sign = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
        (issuer or self).sign(self, name, may_sign)

    def sign(self, pair, common_name, extensions, days=("-days", "2")):
        request = openssl("req", "-new", "-key", pair.key, "-subj", f"/CN={common_name}")
        extension_file = self.folder / f"{pair.certificate.stem}.ext"
        extension_file.write_text("\n".join(extensions), encoding="utf-8")
        by = ["-signkey", self.key] if pair is self else ["-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial"]
        openssl("x509", "-req", *by, *days, "-sha256", "-extfile", extension_file, "-out", pair.certificate, text=request)

    def issue(self, name="server", names="DNS:localhost,IP:127.0.0.1", usage="serverAuth", days=("-days", "2"), key=CURVE):
        """`names`: the subject's alternative names; none: just the common name. `days`: arguments of openssl x509."""
        pair = Pair(self.folder, name)
        openssl("genpkey", *key, "-out", pair.key)
        extensions = [f"extendedKeyUsage={usage}"] + ([f"subjectAltName={names}"] if names else [])
        self.sign(pair, "localhost", extensions, days)
        return pair


def out_of_time(authority, first, last):
    """A certificate that is valid between these times only (YYYYMMDDHHMMSSZ). Only openssl ca can make one."""
    pair = Pair(authority.folder, "out-of-time")
    openssl("genpkey", *CURVE, "-out", pair.key)
    request = authority.folder / "out-of-time.csr"
    openssl("req", "-new", "-key", pair.key, "-subj", "/CN=localhost", "-out", request)
    settings = authority.folder / "ca.conf"
    (authority.folder / "index").write_text("", encoding="utf-8")
    settings.write_text(
        f"[ca]\ndefault_ca=own\n[own]\ndatabase={authority.folder}/index\nnew_certs_dir={authority.folder}\nrand_serial=yes\n"
        "default_md=sha256\npolicy=any\nx509_extensions=server\n[any]\ncommonName=supplied\n"
        "[server]\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n", encoding="utf-8")  # fmt: skip
    openssl("ca", "-batch", "-notext", "-config", settings, "-cert", authority.certificate, "-keyfile", authority.key,
            "-startdate", first, "-enddate", last, "-in", request, "-out", pair.certificate)  # fmt: skip
    return pair

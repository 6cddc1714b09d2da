#!/usr/bin/env python3
"""How long a lock is without a leader: after a clean stop (SIGTERM to the next "started"), and after a crash (last renewal
to the next "started"). Three candidates each, ours and client-go's in one run on one server.

hand_off.py --build BUILD [--trials N] [--crashes N] [--json FILE] [KIND...]
Kinds: file lease client-go redis; those whose server is not in the environment are passed over and named.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from candidates import Troupe, boot_ns, percentile  # noqa: E402

DURATIONS = {"15/10/2": ("15s", "10s", "2s"), "3/2/0.5": ("3s", "2s", "500ms")}


def since_wall(text):
    """Boot time, in nanoseconds, of a wall-clock time of a moment ago."""
    then = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return boot_ns() - int((datetime.now(timezone.utc) - then).total_seconds() * 1e9)


class FileKind:
    name = "file"

    def __init__(self, build, folder):
        self.program, self.folder = build / "test/our-candidate", folder

    def command(self, lock):
        return [self.program, "--file", self.folder / lock]

    def renewed(self, lock):
        return since_wall(json.loads((self.folder / lock).read_text())["renewTime"])


class LeaseKind:
    def __init__(self, name, program):
        self.name, self.program = name, program
        self.namespace = os.environ["LEADERELECTION_TEST_KUBE_NAMESPACE"]
        self.kubeconfig = Path(os.environ["LEADERELECTION_TEST_KUBE_DIR"]) / "kubeconfig"

    def command(self, lock):
        return [self.program, "--kubeconfig", self.kubeconfig / "elector", "--namespace", self.namespace, "--name", lock]

    def renewed(self, lock):
        kubectl = [os.environ["LEADERELECTION_TEST_KUBECTL"], "--kubeconfig", self.kubeconfig / "admin"]
        got = subprocess.run([*kubectl, "get", "lease", lock, "-o", "jsonpath={.spec.renewTime}"],
                             check=True, capture_output=True, text=True)  # fmt: skip
        return since_wall(got.stdout)


class RedisKind:
    name = "redis"

    def __init__(self, build, url):
        self.program, self.url = build / "test/our-candidate", url

    def command(self, lock):
        return [self.program, "--redis", self.url, "--name", lock]

    def renewed(self, lock):
        got = subprocess.run(["redis-cli", "-u", self.url, "GET", f"leaderelection:{lock}"],
                             check=True, capture_output=True, text=True)  # fmt: skip
        return since_wall(json.loads(got.stdout)["renewTime"])


def kinds(build, folder):
    """Those that can run here, and why the others cannot."""
    found, missing = {"file": FileKind(build, folder)}, {}
    if "LEADERELECTION_TEST_KUBE_DIR" in os.environ:
        found["lease"] = LeaseKind("lease", build / "test/our-candidate")
        peer = os.environ.get("INTEROP_CANDIDATE") or shutil.which("candidate")
        if peer:
            found["client-go"] = LeaseKind("client-go", peer)
        else:
            missing["client-go"] = "INTEROP_CANDIDATE is not set (hack/servers/candidate.sh prints it)"
    else:
        missing["lease"] = missing["client-go"] = "no API server (hack/kube-apiserver.sh up, then env)"
    if "LEADERELECTION_BENCH_REDIS_URL" in os.environ:
        found["redis"] = RedisKind(build, os.environ["LEADERELECTION_BENCH_REDIS_URL"])
    else:
        missing["redis"] = "LEADERELECTION_BENCH_REDIS_URL is not set"
    return found, missing


def clean_stops(kind, trials, log):
    troupe = Troupe(kind, f"bench-stop-{os.getpid()}-{kind.name}", DURATIONS["15/10/2"], log)
    took = []
    try:
        for _ in range(trials):
            old = troupe.leader
            at = boot_ns()
            old.send(signal.SIGTERM)
            took.append((troupe.succeed() - at) / 1e6)
            old.wait("exit")
            old.end()
            troupe.add_follower()
    finally:
        troupe.end()
    return took


def crashes(kind, durations, trials, log):
    troupe = Troupe(kind, f"bench-crash-{os.getpid()}-{kind.name}", DURATIONS[durations], log)
    took = []
    try:
        for _ in range(trials):
            old = troupe.leader
            old.send(signal.SIGKILL)
            old.process.wait()
            renewed = kind.renewed(troupe.lock)
            took.append((troupe.succeed() - renewed) / 1e6)
            troupe.add_follower()
    finally:
        troupe.end()
    return took


def show(rows):
    print(f"{'':28}{'trials':>7}{'p50 ms':>10}{'p99 ms':>10}{'max ms':>10}  to client-go's p50")
    for (measure, kind), took in rows.items():
        peer = rows.get((measure, "client-go"))
        ratio = f"{percentile(took, 0.5) / percentile(peer, 0.5):.3f}" if peer and kind != "client-go" else ""
        values = "".join(f"{percentile(took, share):10.1f}" for share in (0.5, 0.99, 1.0))
        print(f"{measure + ', ' + kind:28}{len(took):7}{values}  {ratio}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--crashes", type=int, default=5)
    parser.add_argument("--durations", action="append", choices=DURATIONS, help="of the crashes; 3/2/0.5 unless told")
    parser.add_argument("--json", type=Path, help="where all times go")
    parser.add_argument("kinds", nargs="*")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w", encoding="utf-8") as log:
        found, missing = kinds(arguments.build, Path(folder))
        chosen = arguments.kinds or list(found)
        for name in chosen:
            if name not in found:
                parser.error(f"{name}: {missing.get(name, 'no such kind')}")
        for name, why in missing.items():
            print(f"not measured: {name}: {why}", file=sys.stderr)
        rows = {}
        for name in chosen:
            print(f"measuring {name} ...", file=sys.stderr)
            rows["clean stop", name] = clean_stops(found[name], arguments.trials, log)
            for durations in arguments.durations or ["3/2/0.5"]:
                rows[f"crash {durations}", name] = crashes(found[name], durations, arguments.crashes, log)
        show(dict(sorted(rows.items(), key=lambda row: row[0][0])))
        print(f"load of the machine: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")
        if arguments.json:
            arguments.json.write_text(json.dumps([[*key, took] for key, took in rows.items()]), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The leader is cut off from the server, the others are not; all would release on a stop. How long two lead: from the start
of the next until the first says that it has stopped."""

import os
import random
import time
from urllib.parse import urlsplit

from candidates import boot_ns
from fault_proxy import FaultProxy
from harness.contestants import BEAST, CPPREST
from harness.figures import AtMost, Figure
from harness.report import section, trials
from harness.stage import LONG, NAMES, LeaseKind
from harness.statistics import by_contestant, median

NAME = "partition"
ROLES = ("candidate",)


class CutOff(LeaseKind):
    """Whoever starts first stands behind a proxy of its own."""

    def __init__(self, stage, name, command):
        self.direct = stage.cluster.kubeconfig("elector")
        url = os.environ["LEADERELECTION_TEST_KUBE_SERVER"]
        server = urlsplit(url)
        self.proxy = FaultProxy(server.port)
        stage.ending.callback(self.proxy.close)
        behind = stage.folder / f"kubeconfig-{self.proxy.port}"
        text = self.direct.read_text(encoding="utf-8")
        behind.write_text(text.replace(url, f"https://{server.hostname}:{self.proxy.port}"), encoding="utf-8")
        super().__init__(name, command, stage.cluster.namespace, behind)

    def command(self, lock):
        words = super().command(lock)
        self.kubeconfig = self.direct
        return words


def run(stage):
    programs = stage.contestants.in_role("candidate")
    overlaps, led_on = {name: [] for name in programs}, {name: [] for name in programs}
    for _ in stage.rounds(stage.effort(1, 5)):
        troupes = []
        for _ in range(stage.effort(2, 6)):
            for name, command in programs.items():
                kind = CutOff(stage, name, command)
                troupes.append((name, kind, stage.troupe(kind, LONG, size=2)))
        time.sleep(2)
        began = boot_ns()
        for _, kind, _ in troupes:
            time.sleep(random.uniform(0, 2 / len(troupes)))  # not in step with anybody's renewals
            kind.proxy.drop()
        renewed = [stage.cluster.renewed_ns(troupe.lock) for _, _, troupe in troupes]
        for (name, _, troupe), last in zip(troupes, renewed):
            old, started = troupe.leader, troupe.successor()
            stopped = old.wait("stopped")["boot_ns"]
            old.end()
            if stopped < began:
                continue  # a busy machine had cost it its term before
            overlaps[name].append(max(0.0, (stopped - started) / 1e9))
            led_on[name].append((stopped - last) / 1e9)
        stage.clear()
    two = {name: sum(value > 0 for value in values) for name, values in overlaps.items()}
    never = AtMost(0)
    return [section(f"Leader cut off at {NAMES[LONG]} s, release on ({trials(overlaps)})", programs, [
        Figure("two leaders", "trials", two, {BEAST: never, CPPREST: never}),
        Figure("two leaders for, max", "s", by_contestant(overlaps, max), {BEAST: never, CPPREST: never}),
        Figure("stops after its last renewal, p50", "s", by_contestant(led_on, median)),
    ])]  # fmt: skip

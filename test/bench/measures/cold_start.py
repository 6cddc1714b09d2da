"""From the start of a process until it leads, on a Lease that does not exist yet."""

from candidates import boot_ns
from harness.contestants import BEAST
from harness.figures import AtMost, Figure
from harness.report import section
from harness.statistics import by_contestant, median, p99

NAME = "cold-start"
ROLES = ("candidate",)


def start(stage, kind):
    """Milliseconds until the program is loaded, and until it leads."""
    command = [*kind.command(stage.lock_name()), "--identity", "first"]
    at = boot_ns()
    candidate = stage.candidate(command, "first")
    led = candidate.wait("started")["boot_ns"]
    candidate.end()
    return (candidate.find("boot")["boot_ns"] - at) / 1e6, (led - at) / 1e6


def run(stage):
    kinds = stage.kinds()
    loaded, led = {name: [] for name in kinds}, {name: [] for name in kinds}
    for kind in kinds.values():
        start(stage, kind)  # what is read from disk once is behind them
    for _ in stage.rounds(stage.effort(10, 50)):
        for name, kind in kinds.items():
            until_loaded, until_leading = start(stage, kind)
            loaded[name].append(until_loaded)
            led[name].append(until_leading)
    return [section("Cold start: from starting a process until it leads", kinds, [
        Figure("leads, p50", "ms", by_contestant(led, median), {BEAST: AtMost(15)}),
        Figure("leads, p99", "ms", by_contestant(led, p99)),
        Figure("program loaded, p50", "ms", by_contestant(loaded, median)),
    ], samples=led)]  # fmt: skip

"""A clean stop: from SIGTERM to the leader until another has started."""

import signal

from candidates import boot_ns
from harness.contestants import BEAST, CPPREST
from harness.figures import AtMost, Figure, Share
from harness.report import section, trials
from harness.stage import LONG
from harness.statistics import by_contestant, median, p99
from harness.steady import replace, steady

NAME = "hand-off"
ROLES = ("candidate",)


def hand_off(troupe):
    """Milliseconds, or nothing if another led before the signal."""
    steady(troupe)
    old = troupe.leader
    at = boot_ns()
    old.send(signal.SIGTERM)
    started = troupe.successor()
    old.wait("exit")
    replace(troupe, old)
    return [(started - at) / 1e6] if started > at else []


def run(stage):
    # Several of each: while one lets its followers find the new leader, the others have their turn.
    kinds = stage.kinds()
    troupes = [{name: stage.troupe(kind, LONG) for name, kind in kinds.items()} for _ in range(stage.effort(2, 4))]
    took = {name: [] for name in kinds}
    for number in stage.rounds(stage.effort(10, 100)):
        for name, troupe in troupes[number % len(troupes)].items():
            took[name] += hand_off(troupe)
    quicker, soon = Share("client-go", 1 / 50, "50 times quicker than client-go"), AtMost(50)
    return [section(f"Graceful hand-off: SIGTERM to the next leader's start ({trials(took)}, three candidates)", kinds, [
        Figure("p50", "ms", by_contestant(took, median), {BEAST: quicker, CPPREST: quicker}),
        Figure("p99", "ms", by_contestant(took, p99), {BEAST: soon, CPPREST: soon}),
        Figure("max", "ms", by_contestant(took, max)),
    ], samples=took)]  # fmt: skip

"""A crash: from the last renewal of a leader that is killed until another has started. Sooner than the lease lasts is too
early: the leader might still act."""

import random
import signal
import time

from candidates import boot_ns
from harness.contestants import BEAST, CPPREST
from harness.figures import AtMost, Figure
from harness.report import section, trials
from harness.stage import LONG, NAMES, SECONDS, SHORT
from harness.statistics import by_contestant, median
from harness.steady import replace, steady

NAME = "take-over"
ROLES = ("candidate",)
IN_FLIGHT = 0.1  # seconds in which what the leader had sent arrives


def crash(stage, troupes):
    """All leaders at once, so that one wait serves all. Yields (name, seconds)."""
    killed = {}
    for key, troupe in troupes.items():
        steady(troupe)
        time.sleep(random.uniform(0, 0.05))  # not in step with anybody's renewals
        killed[key] = boot_ns()
        troupe.leader.send(signal.SIGKILL)
    time.sleep(IN_FLIGHT)
    renewed = {key: stage.cluster.renewed_ns(troupe.lock) for key, troupe in troupes.items()}
    for key, troupe in troupes.items():
        old, started = troupe.leader, troupe.successor()
        replace(troupe, old)
        if started > killed[key]:
            yield key[0], (started - renewed[key]) / 1e9


def measure(stage, durations, rounds):
    kinds = stage.kinds()
    troupes = {(name, number): stage.troupe(kind, durations)
               for number in range(stage.effort(2, 4)) for name, kind in kinds.items()}  # fmt: skip
    took = {name: [] for name in kinds}
    for _ in stage.rounds(rounds, f"{NAMES[durations]}, round"):
        for name, seconds in crash(stage, troupes):
            took[name].append(seconds)
    stage.clear()
    lease = SECONDS[durations]
    early = {name: sum(value < lease for value in values) for name, values in took.items()}
    latest, never = AtMost(lease + 0.1), AtMost(0)
    title = f"Crash at {NAMES[durations]} s: last renewal to the next leader's start ({trials(took)}, three candidates)"
    return section(title, kinds, [
        Figure("p50", "s", by_contestant(took, median)),
        Figure("max", "s", by_contestant(took, max), {BEAST: latest, CPPREST: latest} if durations == LONG else {}),
        Figure("min", "s", by_contestant(took, min)),
        Figure("too early", "trials", early, {BEAST: never, CPPREST: never}),
    ], samples=took, mark=(lease, "lease ends"))  # fmt: skip


def run(stage):
    return [measure(stage, LONG, stage.effort(1, 5)), measure(stage, SHORT, stage.effort(3, 15))]

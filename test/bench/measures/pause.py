"""A leader that is stopped (SIGSTOP) until another leads, and goes on (SIGCONT): how long it still takes itself for the
leader, by what it answers and until it says that it has stopped."""

import signal
import time

from candidates import Failed, boot_ns
from harness.contestants import BEAST, CPPREST
from harness.figures import AtMost, Figure
from harness.report import section, trials
from harness.stage import LONG, NAMES, SHORT
from harness.statistics import by_contestant, median

NAME = "pause"
ROLES = ("candidate",)


def after(leader, at):
    """Milliseconds after it goes on until the last answer that it leads, and until it says that it has stopped."""
    stopped = leader.wait("stopped")["boot_ns"]
    try:
        led = leader.wait("not_leading", patience=5)["led_ns"]
    except Failed:
        led = stopped  # ended first: it answered so to the last
    return max(0.0, (led - at) / 1e6), (stopped - at) / 1e6


def run(stage):
    durations = stage.effort(SHORT, LONG)
    kinds = stage.kinds(more=("--check",))
    answers, stops = {name: [] for name in kinds}, {name: [] for name in kinds}
    for _ in stage.rounds(stage.effort(1, 3)):
        every = list(kinds.items()) * stage.effort(2, 4)
        troupes = [(name, stage.troupe(kind, durations, size=2)) for name, kind in every]
        paused = [troupe.leader for _, troupe in troupes]
        began = boot_ns()
        for leader in paused:
            leader.send(signal.SIGSTOP)
        for _, troupe in troupes:
            troupe.successor()
        resumed = []
        for leader in paused:
            time.sleep(0.1)  # one at a time
            resumed.append(boot_ns())
            leader.send(signal.SIGCONT)
        for (name, _), leader, at in zip(troupes, paused, resumed):
            answered, stopped = after(leader, at)
            if leader.find("stopped")["boot_ns"] < began:
                continue  # a busy machine had cost it its term before
            answers[name].append(answered)
            stops[name].append(stopped)
        stage.clear()
    never, soon = AtMost(0), AtMost(50)
    return [section(f"Paused at {NAMES[durations]} s until another leads, then resumed ({trials(stops)})", kinds, [
        Figure("still answers that it leads, max", "ms", by_contestant(answers, max), {BEAST: never, CPPREST: never}),
        Figure("says that it stopped, p50", "ms", by_contestant(stops, median)),
        Figure("says that it stopped, max", "ms", by_contestant(stops, max), {BEAST: soon, CPPREST: soon}),
    ])]  # fmt: skip

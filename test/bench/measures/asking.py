"""What it costs to ask whether one leads, beside the clock read that is its floor; client-go's answer reads no clock. By
processor time, and the best of some rounds: what is longer is the machine's doing."""

from harness.figures import AtMost, Figure
from harness.programs import benchmarks, numbers
from harness.report import section

NAME = "asking"
ROLES = ("core", "asking")
OURS, FLOOR = "ours", "one clock read"


def run(stage):
    peers = stage.contestants.in_role("asking", ours=())
    asked, checked = ({name: [] for name in (OURS, *peers)} for _ in range(2))
    floor = []
    for _ in stage.rounds(stage.effort(2, 5)):
        found = benchmarks(stage.contestants.our_program("core"), 0.2)
        asked[OURS].append(found["IsLeader"]["cpu_time"])
        checked[OURS].append(found["TermIsValid"]["cpu_time"])
        floor.append(found["ReadTheClock"]["cpu_time"])
        for name, command in peers.items():
            asked[name] += numbers(command)
    values = {name: min(found) for name, found in asked.items()} | {FLOOR: min(floor)}
    return [section("Asking whether one leads", [OURS, *peers, FLOOR], [
        Figure("IsLeader()", "ns", values, {OURS: AtMost(50)}),
        Figure("Term::IsValid()", "ns", {OURS: min(checked[OURS])}, {OURS: AtMost(50)}),
    ], ours=(OURS,))]  # fmt: skip

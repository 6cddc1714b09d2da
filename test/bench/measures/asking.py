"""What it costs to ask whether one leads, beside the clock read that is its floor; client-go's answer reads no clock."""

from harness.figures import AtMost, Figure
from harness.programs import benchmarks, numbers
from harness.report import section
from harness.statistics import median

NAME = "asking"
ROLES = ("core", "asking")
OURS, FLOOR = "ours", "one clock read"


def run(stage):
    peers = stage.contestants.in_role("asking", ours=())
    asked, checked = ({name: [] for name in (OURS, *peers)} for _ in range(2))
    floor = []
    for _ in stage.rounds(stage.effort(2, 5)):
        found = benchmarks(stage.contestants.our_program("core"), 0.2)
        asked[OURS].append(found["IsLeader"]["real_time"])
        checked[OURS].append(found["TermIsValid"]["real_time"])
        floor.append(found["ReadTheClock"]["real_time"])
        for name, command in peers.items():
            asked[name] += numbers(command)
    values = {name: median(found) for name, found in asked.items()} | {FLOOR: median(floor)}
    return [section("Asking whether one leads", [OURS, *peers, FLOOR], [
        Figure("IsLeader()", "ns", values, {OURS: AtMost(50)}),
        Figure("Term::IsValid()", "ns", {OURS: median(checked[OURS])}, {OURS: AtMost(50)}),
    ], ours=(OURS,))]  # fmt: skip

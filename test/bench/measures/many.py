"""Many elections in one process, all of which it leads: how soon, at what cost, and whether it keeps them. A hundred of each
contestant side by side; a thousand one after the other, for together they would be too much for the server."""

import signal
import time

from candidates import Failed
from harness.contestants import OURS
from harness.figures import AtMost, Figure, Share
from harness.process_cost import UNITS, Costs
from harness.report import section

NAME = "many"
ROLES = ("elections",)
UNLIMITED = "client-go, no limiter"
OUTCOMES = {"all lead after": "s", "lead at the end": "", "lost terms": ""}
GOALS = {
    "all lead after": AtMost(5), "lost terms": AtMost(0), "RSS": AtMost(25),
    "CPU": Share(UNLIMITED, 1 / 3, "a third of client-go's without its limiter"),
}  # fmt: skip
CONSTANT = ("threads", "connections")  # however many elections there are


class Elections:
    def __init__(self, stage, command, count):
        self.user, self.acquired = stage.cluster.user(), None
        words = [*command, "--count", count, "--prefix", stage.lock_name(), "--kubeconfig", self.user.kubeconfig]
        words += ["--namespace", stage.cluster.namespace]
        self.process = stage.candidate([str(word) for word in words], "elections")
        self.pid = self.process.process.pid

    def await_all(self, patience):
        try:
            self.acquired = self.process.wait("acquired", patience=max(patience, 0.1))["seconds"]
        except Failed:
            self.acquired = None

    def end(self):
        self.process.send(signal.SIGTERM)
        end = self.process.wait("exit")
        return {"all lead after": self.acquired, "lead at the end": end["leading"], "lost terms": end["lost"]}


def together(stage, programs, count, patience, seconds):
    """{contestant: costs} of those who run side by side."""
    all_of_them = {name: Elections(stage, command, count) for name, command in programs.items()}
    deadline = time.monotonic() + patience
    for elections in all_of_them.values():
        elections.await_all(deadline - time.monotonic())
    watched = {name: Costs(elections.pid, elections.user) for name, elections in all_of_them.items()}
    stage.progress(f"{count} elections of {' and '.join(programs)}: watching for {seconds} s")
    time.sleep(seconds)
    costs = {name: one.read() for name, one in watched.items()}
    costs = {name: elections.end() | costs[name] for name, elections in all_of_them.items()}
    stage.clear()
    stage.cluster.delete_leases()
    return costs


def goals(name, what, fewer):
    """`fewer`: the costs with fewer elections, or nothing."""
    if not fewer:
        return {"lost terms": AtMost(0)}.get(what)
    return AtMost(fewer[name][what]) if what in CONSTANT else GOALS.get(what)


def report(count, costs, seconds, fewer=None):
    ours = [name for name in OURS if name in costs]
    figures = []
    for what, unit in (OUTCOMES | UNITS).items():
        wanted = {name: goal for name in ours if (goal := goals(name, what, fewer))}
        figures.append(Figure(what, unit, {name: cost[what] for name, cost in costs.items()}, wanted))
    return section(f"{count} elections in one process at 15/10/2 s, watched for {seconds} s", costs, figures)


def run(stage):
    programs = stage.contestants.in_role("elections")
    seconds = stage.effort(20, 60)
    hundred = together(stage, programs, 100, stage.effort(10, 30), seconds)
    sections = [report(100, hundred, seconds)]
    if stage.is_full:
        thousand = {}
        for name, command in programs.items():
            thousand |= together(stage, {name: command}, 1000, 30, seconds)
        sections.append(report(1000, thousand, seconds, hundred))
    return sections

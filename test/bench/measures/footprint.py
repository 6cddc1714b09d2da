"""What a leader and a follower cost: memory, threads, connections, processor time, and requests to the server. All of them
side by side, each candidate under a user of its own."""

import time

from harness.contestants import BEAST, CPPREST
from harness.figures import AtMost, Figure
from harness.process_cost import UNITS, Costs
from harness.report import section
from harness.stage import LeaseKind

NAME = "footprint"
ROLES = ("candidate",)
CALM = 5  # seconds after which what is done once is behind them


class Member:
    def __init__(self, stage, name, command, lock, role):
        self.user = stage.cluster.user()
        kind = LeaseKind(name, command, stage.cluster.namespace, self.user.kubeconfig)
        self.candidate = stage.candidate([*kind.command(lock), "--identity", role], role)
        self.pid = self.candidate.process.pid


GOALS = {
    ("leader", "CPU"): {BEAST: AtMost(0.7), CPPREST: AtMost(0.7)},
    ("leader", "requests"): {BEAST: AtMost(30), CPPREST: AtMost(30)},
    ("follower", "CPU"): {BEAST: AtMost(0.3), CPPREST: AtMost(0.3)},
    ("follower", "requests"): {BEAST: AtMost(1), CPPREST: AtMost(1)},
    ("follower", "RSS"): {BEAST: AtMost(9), CPPREST: AtMost(14)},
    ("follower", "private memory"): {BEAST: AtMost(2), CPPREST: AtMost(4)},
    ("follower", "threads"): {BEAST: AtMost(5)},
}


def run(stage):
    programs = stage.contestants.in_role("candidate")
    members = {}
    for name, command in programs.items():
        lock = stage.lock_name()
        leader = members[name, "leader"] = Member(stage, name, command, lock, "leader")
        leader.candidate.wait("started")
        follower = members[name, "follower"] = Member(stage, name, command, lock, "follower")
        follower.candidate.wait("new_leader", leader="leader")
    time.sleep(CALM)
    watched = {key: Costs(member.pid, member.user) for key, member in members.items()}
    seconds = stage.effort(20, 120)
    stage.progress(f"watching for {seconds} s")
    time.sleep(seconds)
    costs = {key: one.read() for key, one in watched.items()}
    figures = [Figure(f"{role}: {what}", unit, {name: costs[name, role][what] for name in programs}, GOALS.get((role, what), {}))
               for role in ("leader", "follower") for what, unit in UNITS.items()]  # fmt: skip
    return [section(f"What a candidate costs at 15/10/2 s, in {seconds} s", programs, figures)]

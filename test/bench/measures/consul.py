"""Our lock on Consul beside Consul's own Go lock: hand-offs, in turn; and take-overs of a holder that is silent, all at once,
for they are nothing but waiting."""

import os
import uuid
from concurrent.futures import ThreadPoolExecutor

from harness.figures import AtMost, Figure, Share
from harness.programs import numbers
from harness.report import section
from harness.statistics import by_contestant, median, p99

NAME = "consul"
ROLES = ("consul",)
OURS, PEER = "ours", "Go api.Lock"


def run(stage):
    stage.servers.need("consul")
    env = os.environ | {
        "CONSUL_HTTP_ADDR": os.environ["LEADERELECTION_TEST_CONSUL_HTTP"],
        "CONSUL_HTTP_TOKEN_FILE": os.environ["LEADERELECTION_TEST_CONSUL_TOKEN_FILE"],
    }
    programs = {OURS: stage.contestants.our_program("consul"), **stage.contestants.in_role("consul", ours=())}

    def ask(name, what, count):
        key = f"{os.environ['LEADERELECTION_TEST_CONSUL_PREFIX']}bench-{uuid.uuid4()}"
        return numbers([*programs[name], what, key, count], env)

    passed, taken = {name: [] for name in programs}, {}
    for _ in stage.rounds(stage.effort(2, 5), "hand-offs, turn"):
        for name in programs:
            passed[name] += ask(name, "hand-off", stage.effort(5, 20))
    stage.progress("take-overs")
    trials = stage.effort(1, 5)
    with ThreadPoolExecutor(len(programs) * trials) as pool:
        asked = {name: [pool.submit(ask, name, "take-over", 1) for _ in range(trials)] for name in programs}
        taken = {name: [number for one in several for number in one.result()] for name, several in asked.items()}
    seconds = {name: [value / 1000 for value in values] for name, values in taken.items()}
    return [section("Consul, leases of 15 s", programs, [
        Figure("hand-off, p50", "ms", by_contestant(passed, median), {OURS: Share(PEER, 1, "not slower than api.Lock")}),
        Figure("hand-off, p99", "ms", by_contestant(passed, p99)),
        Figure("take-over of a silent holder, p50", "s", by_contestant(seconds, median)),
        Figure("take-over of a silent holder, max", "s", by_contestant(seconds, max), {OURS: AtMost(15.2)}),
    ], ours=(OURS,), samples=passed)]  # fmt: skip

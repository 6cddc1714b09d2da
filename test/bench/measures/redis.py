"""Our lock on Redis beside bsm/redislock and redsync. They take turns, so that what else the machine does meets all of them.
Leases are 3 seconds. Both peers wait by polling: redislock every 100 ms as in its documentation, redsync after 50 to 250 ms as
it does by itself. Their client has one request at a time under way on a connection; ours sends on without waiting."""

import os
import uuid

from harness.figures import AtMost, Figure, Share
from harness.programs import numbers
from harness.report import section
from harness.statistics import by_contestant, median, p99

NAME = "redis"
ROLES = ("redis",)
OURS, ELECTOR, BSM = "ours", "ours, elector", "bsm/redislock"


def run(stage):
    stage.servers.need("redis")
    host, _, port = os.environ["LEADERELECTION_TEST_REDIS_STANDALONE_SERVERS"].partition(":")
    env = os.environ | {"REDIS_HOST": host, "REDIS_PORT": port}
    peers = stage.contestants.in_role("redis", ours=())
    programs = {OURS: stage.contestants.our_program("redis"), **peers}

    def turns(what, count, number, extra=()):
        found = {name: [] for name in (*programs, *extra)}
        stage.progress(what)
        for _ in range(number):
            for name in found:
                words = [*programs.get(name, programs[OURS]), "lead-release" if name == ELECTOR else what]
                found[name] += numbers([*words, uuid.uuid4(), count], env)
        return found

    acquired = turns("acquire-release", stage.effort(200, 600), 5, (ELECTOR,))
    passed = turns("hand-off", stage.effort(4, 20), stage.effort(2, 5))
    taken = turns("take-over", 1, stage.effort(1, 5))
    renewed = turns("renewals", 1000, stage.effort(1, 3))
    not_slower = Share(BSM, 1, "not slower than bsm/redislock")
    return [section("Redis, leases of 3 s", [OURS, ELECTOR, *peers], [
        Figure("acquire and release, p50", "ms", by_contestant(acquired, median), {OURS: not_slower, ELECTOR: not_slower}),
        Figure("acquire and release, p99", "ms", by_contestant(acquired, p99)),
        Figure("hand-off, p50", "ms", by_contestant(passed, median), {OURS: AtMost(2)}),
        Figure("hand-off, p99", "ms", by_contestant(passed, p99)),
        Figure("take-over of a silent holder, p50", "ms", by_contestant(taken, median)),
        Figure("take-over of a silent holder, max", "ms", by_contestant(taken, max)),
        Figure("renewals of 1,000 locks on one connection", "per second", by_contestant(renewed, median)),
    ], ours=(OURS, ELECTOR), samples=passed)]  # fmt: skip

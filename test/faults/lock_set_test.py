#!/usr/bin/env python3
"""No update is lost with the number; without it some are, which shows that the workload can tell.

LOCK_SET_SECONDS and LOCK_SET_SEED set how long, and which faults; by default another seed every day, the same with the
number and without. Run by ctest.
"""

import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import backends  # noqa: E402
import lock_set  # noqa: E402
from listed_tests import main  # noqa: E402
from stage import report  # noqa: E402


class LockSetTest(unittest.TestCase):
    again = 0

    def run_one(self, backend, guarded):
        kind = backends.BACKENDS[backend]
        kind.require()
        backends.Redis.require()
        seed = int(os.environ.get("LOCK_SET_SEED") or time.strftime("%Y%m%d")) + self.again
        duration = float(os.environ.get("LOCK_SET_SECONDS") or 30)
        print(f"seed {seed}, {duration:g} s on {backend}, {'with' if guarded else 'without'} the number", flush=True)
        counts, verdict, lost = lock_set.run(kind, guarded, duration, seed)
        counts |= {"terms": verdict.terms, "violations": len(verdict.violations)}
        report(self.id().rsplit(".", 1)[-1], counts)
        self.assertEqual(verdict.violations, [])
        self.assertGreater(counts["updates"], 50, "the workload did next to nothing")
        return counts, lost

    def with_the_number(self, backend):
        counts, lost = self.run_one(backend, True)
        self.assertEqual(lost, [])
        self.assertGreater(counts["terms"], 1)

    def without_the_number(self, backend):
        # The planted fault of this test. Whether a pause hits a leader between its read and its write is chance.
        for self.again in range(3):
            _, lost = self.run_one(backend, False)
            if lost:
                return
        self.fail("stale writes were made likely, and none was seen")


for name in backends.BACKENDS:
    setattr(LockSetTest, f"test_{name}_with_the_number_no_update_is_lost", lambda self, name=name: self.with_the_number(name))
    setattr(LockSetTest, f"test_{name}_without_the_number_updates_are_lost", lambda self, name=name: self.without_the_number(name))

if __name__ == "__main__":
    main(LockSetTest)

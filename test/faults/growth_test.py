#!/usr/bin/env python3
"""What the soak calls growth: a leak that is planted is found, and a process that has settled is not blamed."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import growth  # noqa: E402
from growth import Sample, grown  # noqa: E402


class GrowthTest(unittest.TestCase):
    def test_a_process_that_has_settled_does_not_grow(self):
        settling = [Sample(5000 + 800 * n, 10 + n, 5) for n in range(8)]
        settled = [Sample(13000 + 100 * (n % 7), 20 + n % 3, 6 + n % 2) for n in range(30)]
        self.assertEqual(grown(settling + settled), [])

    def test_a_leak_of_memory_is_found(self):
        self.assertIn("rss_kib", grown([Sample(12000 + 300 * n, 20, 6) for n in range(60)])[0])

    def test_a_leak_of_descriptors_is_found(self):
        self.assertIn("descriptors", grown([Sample(12000, 20 + n // 3, 6) for n in range(60)])[0])

    def test_a_leak_of_threads_is_found(self):
        self.assertIn("threads", grown([Sample(12000, 20, 6 + n // 6) for n in range(60)])[0])

    def test_too_few_looks_are_no_growth(self):
        self.assertEqual(grown([Sample(1000 * n, 20, 6) for n in range(1, 6)]), [])

    def test_a_process_is_sampled_as_it_is(self):
        """One that opens a descriptor and takes a megabyte at each line it is sent."""
        program = "import os,sys\nkept=[]\nfor _ in sys.stdin: kept.append((os.dup(0), b'x' * 2**20)); print(flush=True)"
        leaking = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        samples = []
        for _ in range(30):
            leaking.stdin.write("\n")
            leaking.stdin.flush()
            leaking.stdout.readline()
            samples.append(growth.sample(leaking.pid))
        leaking.stdin.close()
        leaking.wait()
        leaking.stdout.close()
        self.assertEqual([found.split()[0] for found in grown(samples)], ["rss_kib", "descriptors"])
        self.assertIsNone(growth.sample(leaking.pid))
        self.assertGreater(growth.sample(os.getpid()).threads, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

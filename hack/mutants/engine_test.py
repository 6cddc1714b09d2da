#!/usr/bin/env python3
"""The engine says so when a mutant survives, does not apply, does not compile, or when the tree itself fails."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import engine

TEXT = """# why this matters
rule: 3 Ours: never by name
file: a.cc
caught by: a_test
caught by: simulate --seeds 7
--- old
  return a == b;
--- new
  return true;
"""


class Shop:
    """A workshop whose checks say what they are told to."""

    def __init__(self, said=None, broken=None):
        self.said, self.broken = said or {}, broken

    def try_mutant(self, mutant):
        if self.broken:
            raise engine.Broken(self.broken)
        return [(check, self.said.get(check.target)) for check in mutant.checks]


class Mutants(unittest.TestCase):
    def setUp(self):
        self.mutant = engine.Mutant.parse("by-name", TEXT)

    def test_a_mutant_is_read(self):
        self.assertEqual(self.mutant.rule, "3 Ours: never by name")
        self.assertEqual([str(check) for check in self.mutant.checks], ["a_test", "simulate --seeds 7"])
        self.assertEqual(self.mutant.apply("{\n  return a == b;\n}\n"), "{\n  return true;\n}\n")

    def test_a_text_that_is_absent_or_repeated_does_not_apply(self):
        for text in ["return a != b;", "  return a == b;\n  return a == b;\n"]:
            with self.assertRaisesRegex(engine.Broken, "not once"):
                self.mutant.apply(text)

    def test_a_malformed_mutant_is_refused(self):
        for old, new in [("rule:", "role:"), ("--- new", "--- now"), ("caught by: a_test\ncaught by: simulate --seeds 7\n", "")]:
            with self.assertRaises(engine.Broken):
                engine.Mutant.parse("x", TEXT.replace(old, new))


class Verdicts(unittest.TestCase):
    def judge(self, **shop):
        return engine.judge(Shop(**shop), engine.Mutant.parse("by-name", TEXT))

    def test_caught_means_that_every_check_noticed(self):
        self.assertTrue(self.judge(said={"a_test": "A.B", "simulate": "seed 4"}).caught)
        verdict = self.judge(said={"a_test": "A.B"})
        self.assertFalse(verdict.caught)
        self.assertIn("SURVIVES simulate --seeds 7", verdict.said)

    def test_a_mutant_that_does_not_build_is_not_caught(self):
        verdict = self.judge(broken="does not build: a.cc:1: error")
        self.assertFalse(verdict.caught)
        self.assertIn("ERROR", verdict.said)

    def test_what_a_test_program_noticed_is_named(self):
        check = engine.Check("a_test", ())
        output = "[ RUN      ] A.B\na.cc:1: Failure\n[  FAILED  ] A.B (0 ms)\n"
        self.assertEqual(engine.what_test_says(check, 1, output), "A.B")
        self.assertEqual(engine.what_test_says(check, -11, "[ RUN      ] A.C\n"), "A.C (SIGSEGV)")
        self.assertIn("no end", engine.what_test_says(check, None, "[ RUN      ] A.D\n"))
        self.assertIsNone(engine.what_test_says(check, 0, ""))


class Command(unittest.TestCase):
    def status(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "x.mutant").write_text(text)
            command = [sys.executable, Path(engine.__file__), "--check", "--mutants", folder]
            return subprocess.run(command, capture_output=True, check=False).returncode

    def test_a_mutant_that_no_longer_applies_fails(self):
        mutant = TEXT.replace("a.cc", "LICENSE")
        self.assertEqual(self.status(mutant), 2)
        self.assertEqual(self.status(mutant.replace("  return a == b;", "Version 2.0, January 2004")), 0)


if __name__ == "__main__":
    unittest.main()

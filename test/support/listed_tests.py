"""Scripts whose tests are made of a table: they name them to CMake, and run them."""

import sys
import unittest

import api_server


def main(case, serial=()):
    """--list: one line for each test, with SERIAL after those that nothing may run beside. Else runs what is named; a
    skipped test ends as ctest expects it."""
    if sys.argv[1:] == ["--list"]:
        for name in sorted(name for name in dir(case) if name.startswith("test_")):
            print(name, "SERIAL" if name in serial else "")
        return
    program = unittest.main(verbosity=2, exit=False)
    if program.result.wasSuccessful() and program.result.skipped:
        sys.exit(api_server.SKIPPED)
    sys.exit(not program.result.wasSuccessful())

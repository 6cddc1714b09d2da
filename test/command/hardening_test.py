#!/usr/bin/env python3
"""Reads back from a built program what leaderelection_harden asked the compiler for: hardening_test.py PROGRAM names
what is missing. hardening_test.py --weak COMPILER shows that each finding can be made, on a program built without any.
"""

import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def readelf(program, *options):
    return subprocess.run(["readelf", "--wide", *options, program], capture_output=True, text=True, check=True).stdout


def begins_with_landing_pad(program):
    """Whether main begins with endbr64. The note of the whole program says nothing here, for Debian's own startup code is
    compiled without, and so the linker leaves it out."""
    address = int(re.search(r":\s+([0-9a-f]+).*FUNC\s+GLOBAL.* main$", readelf(program, "--symbols"), re.MULTILINE).group(1), 16)
    for load in re.finditer(r"LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", readelf(program, "--program-headers")):
        offset, start, size = (int(field, 16) for field in load.groups())
        if start <= address < start + size:
            with open(program, "rb") as file:
                file.seek(offset + address - start)
                return file.read(4) == b"\xf3\x0f\x1e\xfa"
    return False


def missing(program):
    """Names of what the program lacks."""
    header = readelf(program, "--file-header")
    segments = readelf(program, "--program-headers")
    dynamic = readelf(program, "--dynamic")
    symbols = readelf(program, "--dyn-syms")
    stack = re.search(r"GNU_STACK.*", segments)
    has = {
        "position-independent code": "DYN (" in header and re.search(r"FLAGS_1.*\bPIE\b", dynamic),
        "relocations read-only": "GNU_RELRO" in segments,
        "relocations bound at start": re.search(r"FLAGS_1.*\bNOW\b", dynamic),
        "stack not executable": stack and "RWE" not in stack.group(0),
        "stack protector": "__stack_chk_fail" in symbols,
        "fortified calls": re.search(r"\b__\w+_chk\b", symbols),
        "checks of the standard library": "__glibcxx_assert_fail" in symbols,
    }
    if platform.machine() == "x86_64":
        has["control-flow protection"] = begins_with_landing_pad(program)
    return [name for name, found in has.items() if not found]


WEAK = """
#include <cstdio>
#include <vector>
int main(int argc, char** argv) {
  char text[16];
  std::vector<int> numbers(argc);
  std::snprintf(text, sizeof text, "%d %s", numbers[argc - 1], argv[0]);
  return std::puts(text) < 0;
}
"""


def weak(compiler):
    """What is found missing in a program that was built without any of it."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "weak.cc")
        source.write_text(WEAK, encoding="utf-8")
        flags = ["-O2", "-no-pie", "-fno-stack-protector", "-fcf-protection=none", "-U_FORTIFY_SOURCE"]
        flags += ["-Wl,-z,norelro,-z,lazy,-z,execstack"]
        subprocess.run([compiler, *flags, str(source), "-o", f"{folder}/weak"], check=True)
        return missing(f"{folder}/weak")


def main():
    if sys.argv[1] == "--weak":
        found = weak(sys.argv[2])
        expected = 8 if platform.machine() == "x86_64" else 7
        print(f"{len(found)} of {expected} found missing: {', '.join(found)}")
        return 0 if len(found) == expected else 1
    found = missing(sys.argv[1])
    for name in found:
        print(f"{sys.argv[1]} lacks: {name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

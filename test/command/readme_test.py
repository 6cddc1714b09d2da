#!/usr/bin/env python3
"""readme_test.py LEADER_ELECTOR README: every option in README's table, as the program itself lists them. With --update it
writes the table instead of comparing it."""

import subprocess
import sys
from pathlib import Path

BEGIN, END = "<!-- leader-elector options -->\n", "<!-- end -->\n"


def main():
    program, readme = sys.argv[1], Path(sys.argv[2])
    table = subprocess.run([program, "options"], check=True, capture_output=True, text=True).stdout
    head, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    shown, _, tail = rest.partition(END)
    if "--update" in sys.argv:
        readme.write_text(head + BEGIN + table + END + tail, encoding="utf-8")
        return 0
    if shown == table:
        return 0
    print(f"the table of options in {readme.name} is not what '{Path(program).name} options' prints")
    return 1


if __name__ == "__main__":
    sys.exit(main())

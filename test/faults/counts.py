#!/usr/bin/env python3
"""counts.py FOLDER: what all tests of faults did together, from the counts that each has left there. Fails if nothing was
done, or a history had a mistake."""

import collections
import json
import sys
from pathlib import Path

SHOWN = ["schedules", "terms", "faults", "kills", "pauses", "server faults", "clock faults", "hand-offs"]
SHOWN += ["updates", "refused", "violations", "planted"]


def add_up(folder):
    """The sum, and the updates that were lost with the number and without."""
    total, lost = collections.Counter(), collections.Counter()
    for file in sorted(Path(folder).glob("*.json")):
        counts = json.loads(file.read_text(encoding="utf-8"))
        if "without_the_number" in file.name:
            lost["without the number"] += counts.get("lost", 0)
        else:
            lost["with the number"] += counts.get("lost", 0)
        total.update({name: counts.get(name, 0) for name in SHOWN})
    return total, lost


def main():
    total, lost = add_up(sys.argv[1])
    print(", ".join(f"{name} {total[name]}" for name in SHOWN))
    print(f"lost updates: {lost['with the number']} with the number, {lost['without the number']} without it")
    return 1 if not total["faults"] or total["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())

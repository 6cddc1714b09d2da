#!/usr/bin/env python3
"""Measures ours and the peers in one run and prints tables; hack/bench.sh builds what this needs and calls it.

bench.py [--quick|--full] --beast BUILD --cpprest BUILD [MEASURE...]
bench.py --list | --targets beast|cpprest [MEASURE...]
"""

import argparse
import fcntl
import json
import signal
import sys
import traceback
from pathlib import Path

from harness import ROOT, plot, results, table
from harness.contestants import PROGRAMS, Contestants
from harness.machine import Load
from harness.servers import Servers
from harness.stage import Stage
from measures import asking, cold_start, consul, footprint, hand_off, http_latency, many, partition, pause, redis, take_over

MEASURES = {module.NAME: module for module in (
    asking, http_latency, cold_start, hand_off, take_over, pause, partition, footprint, many, redis, consul)}  # fmt: skip
BOTH = ("candidate", "elections")  # roles in which both who speak HTTP are measured
PAGE, PLOT = "RESULTS.md", "distributions.svg"


def targets(flavour, names):
    """What CMake must build for these measures."""
    roles = {role for name in names for role in MEASURES[name].ROLES if role in PROGRAMS}
    wanted = [role for role in sorted(roles) if flavour == "beast" or role in BOTH]
    return ["candidate" if role == "candidate" else PROGRAMS[role] for role in wanted]


def measure(stage, names):
    """(section, load) of every table, printed as they come; and the measures that failed."""
    measured, failed = [], []
    for name in names:
        stage.measure, load = name, Load()
        stage.progress("begins")
        try:
            for section in MEASURES[name].run(stage):
                measured.append((section, str(load)))
                print(f"\n{section.title}\n\n{table.section(section)}\n\n{load}\n", flush=True)
        except Exception:  # the other measures are still worth having
            traceback.print_exc()
            failed.append(name)
        finally:
            stage.clear()
    return measured, failed


def write(folder, mode, measured, contestants):
    (folder / PAGE).write_text(results.page(mode, measured, contestants, PLOT), encoding="utf-8")
    (folder / PLOT).write_text(plot.draw([section for section, _ in measured]), encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_false", dest="full", help="a few trials each, under four minutes; the default")
    parser.add_argument("--full", action="store_true", help=f"all trials, under 25 minutes; without MEASURE it writes {PAGE}")
    parser.add_argument("--beast", type=Path, default=ROOT / "build/beast", help="build with Beast")
    parser.add_argument("--cpprest", type=Path, default=ROOT / "build", help="build with cpprestsdk")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/bench", help="where everything is written")
    parser.add_argument("--list", action="store_true", help="the names of the measures")
    parser.add_argument("--targets", choices=("beast", "cpprest"), help="what to build for the measures")
    parser.add_argument("measures", nargs="*", metavar="MEASURE")
    parser.set_defaults(full=False)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.measures if name not in MEASURES]
    if unknown:
        parser.error(f"no measure {', '.join(unknown)}; there are: {' '.join(MEASURES)}")
    return arguments


def main():
    arguments = parse()
    names = arguments.measures or list(MEASURES)
    if arguments.list:
        print(*MEASURES, sep="\n")
        return 0
    if arguments.targets:
        print(*targets(arguments.targets, names), sep="\n")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / ".lock").open("w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("another run is under way in this tree")
    contestants, servers = Contestants({"beast": arguments.beast, "cpprest": arguments.cpprest}), Servers(folder)
    stage = Stage(arguments.full, contestants, servers, folder)
    mode = "full" if arguments.full else "quick"
    try:
        measured, failed = measure(stage, names)
        write(folder, mode, measured, contestants)
        if arguments.full and not arguments.measures and not failed:
            write(ROOT / "test/bench", mode, measured, contestants)
    finally:
        stage.close()
        servers.down()
    samples = [[section.title, section.samples] for section, _ in measured if section.samples]
    (folder / "samples.json").write_text(json.dumps(samples), encoding="utf-8")
    met, missed = results.goal_counts([section for section, _ in measured])
    print(f"goals: {met} met, {len(missed)} missed", *missed, sep="\n  ")
    print(f"written in {arguments.folder}: {PAGE}, {PLOT}, samples.json")
    if failed:
        print(f"failed: {', '.join(failed)}; what the candidates said: {arguments.folder / 'candidates.log'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

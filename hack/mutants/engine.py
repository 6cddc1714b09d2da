#!/usr/bin/env python3
"""Breaks one rule at a time, in a copy of the tree, and shows which check notices.

A mutant is a file NAME.mutant in this folder:

    rule: 1 Term: counted from before the write was sent
    file: lib/core/election.cc
    caught by: election_test
    caught by: simulate --ratio 1.45
    --- old
      ends = sent + renew_deadline;
    --- new
      ends = now + renew_deadline;

The old text must occur exactly once in the file. Every check named must notice: a target of CMake that is built and run
with the arguments that follow. A check is a GoogleTest program, except `simulate`, the simulator; it gets --seeds
2000 unless told otherwise. Lines that start with # before the texts are comments.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

TOP = Path(__file__).resolve().parents[2]
SECONDS_FOR_A_CHECK = 120
SECONDS_FOR_A_BUILD = 900


class Broken(Exception):
    """The run says nothing about the rule: the mutant does not apply or compile, or the tree itself fails."""


@dataclass(frozen=True)
class Check:
    target: str
    arguments: tuple

    def __str__(self):
        return " ".join((self.target, *self.arguments))


@dataclass(frozen=True)
class Mutant:
    name: str
    rule: str
    file: str
    checks: tuple
    old: str
    new: str

    @staticmethod
    def parse(name, text):
        head, found, rest = text.partition("\n--- old\n")
        old, found_new, new = rest.partition("\n--- new\n")
        if not found or not found_new:
            raise Broken(f"{name}: needs the lines '--- old' and '--- new'")
        fields = {"rule": [], "file": [], "caught by": []}
        for line in head.splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            key, _, value = (part.strip() for part in line.partition(":"))
            if key not in fields or not value:
                raise Broken(f"{name}: do not understand '{line}'")
            fields[key].append(value)
        if len(fields["rule"]) != 1 or len(fields["file"]) != 1 or not fields["caught by"]:
            raise Broken(f"{name}: needs one 'rule:', one 'file:' and a 'caught by:'")
        checks = tuple(Check(words[0], tuple(words[1:])) for words in map(shlex.split, fields["caught by"]))
        return Mutant(name, fields["rule"][0], fields["file"][0], checks, old, new.removesuffix("\n"))

    def apply(self, text):
        count = text.count(self.old)
        if count != 1:
            raise Broken(f"{self.name}: the old text occurs {count} times in {self.file}, not once")
        if self.old == self.new:
            raise Broken(f"{self.name}: the new text is the old one")
        return text.replace(self.old, self.new)


def read_mutants(folder):
    return [Mutant.parse(path.stem, path.read_text()) for path in sorted(folder.glob("*.mutant"))]


def verify_that_all_apply(mutants, tree):
    for mutant in mutants:
        path = tree / mutant.file
        if not path.is_file():
            raise Broken(f"{mutant.name}: there is no {mutant.file}")
        mutant.apply(path.read_text())


def what_test_says(check, status, output):
    """What a GoogleTest program noticed, or None. A crash is blamed on the test that ran."""
    if status == 0:
        return None
    failed = re.search(r"\[  FAILED  \] (\S+?),? ", output)
    started = re.findall(r"\[ RUN      \] (\S+)", output)
    name = failed.group(1) if failed else started[-1] if started else "before the first test"
    return f"{name} ({how_it_ended(status)})" if status != 1 else name


def what_simulator_says(check, status, output):
    """The oracle and the seed of the first violation, or None."""
    if status == 0:
        return None
    seed = re.search(r"seed[ =:]+(\d+)", output)
    said = next((line.strip() for line in output.splitlines() if "seed" in line), how_it_ended(status))
    return f"simulate: {said}" if seed else f"simulate: {how_it_ended(status)}"


def how_it_ended(status):
    if status is None:
        return f"no end after {SECONDS_FOR_A_CHECK} s"
    return signal.Signals(-status).name if status < 0 else f"exit {status}"


class Workshop:
    """A copy of the tree with a build of its own, in which one mutant at a time is tried."""

    def __init__(self, folder, jobs):
        self.tree = folder / "tree"
        self.build = folder / "build"
        self.jobs = jobs
        # What one copy has compiled, the others find in the cache: paths count from the copy's own folder.
        self.environment = {**os.environ, "CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "true"}

    def prepare(self):
        self.copy_tree()
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        # Every mutant is compiled once and run for seconds: optimizing less is quicker in all.
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", *launcher]
        done = run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", *options], SECONDS_FOR_A_BUILD)
        if done.returncode != 0:
            raise Broken(f"the copy does not configure:\n{done.stdout}")

    def copy_tree(self):
        """Copies what differs and removes what is gone, so that a second run builds little."""
        listed = run(["git", "-C", TOP, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], 60)
        if listed.returncode != 0:
            raise Broken(f"git does not list the tree:\n{listed.stdout}")
        wanted = {name for name in listed.stdout.split("\0") if name and (TOP / name).is_file()}
        for name in wanted:
            source, copy = TOP / name, self.tree / name
            if not copy.is_file() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)
        for path in [path for path in self.tree.rglob("*") if path.is_file()]:
            if str(path.relative_to(self.tree)) not in wanted:
                path.unlink()

    def compile(self, targets, jobs=None):
        command = ["ninja", "-C", self.build, "-j", str(jobs or self.jobs), *sorted(targets)]
        done = run(command, SECONDS_FOR_A_BUILD, self.environment)
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if "error" in line]
            raise Broken("does not build: " + (errors[0] if errors else done.stdout[-2000:]))

    def notice(self, check):
        """What the check has to say against the tree as it is built, or None."""
        program = next((path for path in self.build.rglob(check.target) if os.access(path, os.X_OK) and path.is_file()), None)
        if program is None:
            raise Broken(f"the build has no program {check.target}")
        if check.target == "simulate":
            seeds = [] if "--seeds" in check.arguments else ["--seeds", "2000"]
            done = run([program, *check.arguments, *seeds], SECONDS_FOR_A_CHECK)
            return what_simulator_says(check, done.returncode, done.stdout)
        done = run([program, "--gtest_fail_fast", *check.arguments], SECONDS_FOR_A_CHECK)
        if "[==========]" not in done.stdout:
            raise Broken(f"{check} ran no tests: {done.stdout[-500:]}")
        return what_test_says(check, done.returncode, done.stdout)

    def verify_unbroken(self, checks):
        for check in checks:
            said = self.notice(check)
            if said is not None:
                raise Broken(f"the tree fails without any mutant: {check}: {said}")

    def try_mutant(self, mutant):
        path = self.tree / mutant.file
        original = path.read_text()
        path.write_text(mutant.apply(original))
        try:
            self.compile({check.target for check in mutant.checks})
            return [(check, self.notice(check)) for check in mutant.checks]
        finally:
            path.write_text(original)


@dataclass
class Done:
    returncode: int
    stdout: str


running = set()
running_lock = threading.Lock()


def run(command, seconds, environment=None):
    """Runs a command to its end or for so many seconds, in a process group of its own; returncode None: it was ended."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                               env=environment)  # fmt: skip
    with running_lock:
        running.add(process)
    try:
        output, _ = process.communicate(timeout=seconds)
        return Done(process.returncode, output)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Done(None, output)
    finally:
        with running_lock:
            running.discard(process)


def end_everything(number, _):
    with running_lock:
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
    os._exit(128 + number)


@dataclass
class Verdict:
    mutant: Mutant
    caught: bool
    said: str
    seconds: float


def judge(workshop, mutant):
    start = time.monotonic()
    try:
        notices = workshop.try_mutant(mutant)
        missed = [str(check) for check, said in notices if said is None]
        caught = not missed
        said = "; ".join(said for _, said in notices if said is not None)
        if missed:
            said = f"SURVIVES {', '.join(missed)}" + (f" (noticed by {said})" if said else "")
    except Broken as broken:
        caught, said = False, f"ERROR {broken}"
    return Verdict(mutant, caught, said, time.monotonic() - start)


def print_table(verdicts):
    rows = [("mutant", "rule", "caught by", "seconds")]
    rows += [(v.mutant.name, v.mutant.rule, v.said, f"{v.seconds:.0f}") for v in verdicts]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print(" | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + f" | {row[3]:>7}")


def try_all(mutants, folder, workers):
    shops = [Workshop(folder / str(number), max(1, (os.cpu_count() or 1) // workers)) for number in range(workers)]
    checks = sorted({check for mutant in mutants for check in mutant.checks}, key=str)
    print(f"preparing {workers} copies and verifying that the tree passes unbroken", flush=True)
    # One after another, for the first fills the cache for the others.
    for shop in shops:
        shop.prepare()
        shop.compile({check.target for check in checks}, os.cpu_count())
    shops[0].verify_unbroken(checks)
    free = SimpleQueue()
    for shop in shops:
        free.put(shop)
    with ThreadPoolExecutor(workers) as pool:

        def judge_in_a_free_shop(mutant):
            shop = free.get()
            verdict = judge(shop, mutant)
            free.put(shop)
            print(f"{mutant.name}: {verdict.said} ({verdict.seconds:.0f} s)", flush=True)
            return verdict

        return list(pool.map(judge_in_a_free_shop, mutants))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="try these only")
    parser.add_argument("--check", action="store_true", help="only verify that every mutant applies")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "mutants", help="where the copies go")
    parser.add_argument("--mutants", type=Path, default=Path(__file__).parent, help="where the mutants are")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, end_everything)
    signal.signal(signal.SIGTERM, end_everything)
    try:
        mutants = read_mutants(arguments.mutants)
        unknown = set(arguments.names) - {mutant.name for mutant in mutants}
        if unknown:
            raise Broken(f"no mutant is called {', '.join(sorted(unknown))}")
        mutants = [mutant for mutant in mutants if not arguments.names or mutant.name in arguments.names]
        verify_that_all_apply(mutants, TOP)
        if arguments.check or not mutants:
            print(f"{len(mutants)} mutants, all apply")
            return 0
        verdicts = try_all(mutants, arguments.folder, max(1, min(arguments.workers, len(mutants))))
    except Broken as broken:
        print(f"mutants: {broken}", file=sys.stderr)
        return 2
    print()
    print_table(verdicts)
    escaped = [verdict.mutant.name for verdict in verdicts if not verdict.caught]
    print(f"\n{len(verdicts) - len(escaped)} of {len(verdicts)} mutants caught" + (f"; not: {', '.join(escaped)}" if escaped else ""))
    return 1 if escaped else 0


if __name__ == "__main__":
    sys.exit(main())

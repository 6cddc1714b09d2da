#!/usr/bin/env python3
"""Runs the cases of e2e/cases one after the other, judges what each has left behind, and prints a table. e2e/run.sh is the door
to it; the cluster's variables (hack/kind.sh env) are in the environment.

A case is a file with a function run(stage). Its docstring says what it shows; LONGEST_GAP, how many seconds there may be
without a leader; LONG, that it runs only if asked for."""

import argparse
import importlib.util
import shutil
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

sys.path.insert(0, str(Path(__file__).parent))
import checker  # noqa: E402
import evidence  # noqa: E402
from cluster import Cluster  # noqa: E402
from faults import heal  # noqa: E402
from stage import LEASE_DURATION, Stage  # noqa: E402
from wait import Failed  # noqa: E402

CASES = Path(__file__).resolve().parents[1] / "cases"
# What a crash costs, and what a busy machine may add to it.
LONGEST_GAP = LEASE_DURATION + 10


@dataclass
class Outcome:
    name: str
    seconds: float
    violations: list
    summary: dict
    notes: list

    @property
    def passed(self):
        return not self.violations


def load(name):
    path = CASES / f"{name}.py"
    if not path.exists():
        sys.exit(f"no case '{name}'; there are: {', '.join(names())}")
    specification = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def names():
    return sorted(path.stem for path in CASES.glob("*.py"))


def play(cluster, name, module, folder, options):
    """Runs one case and gathers what it leaves behind."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begin = time.monotonic()
    violations, summary, notes = [], {}, []
    for node in cluster.nodes.values():
        heal(node)
    with Stage(cluster, name, folder, options) as stage:
        try:
            module.run(stage)
        except Failed as failure:
            violations.append(str(failure))
        except Exception:  # noqa: BLE001 - a case's own mistake fails that case, not the run
            violations.append(traceback.format_exc())
        try:
            gathered = stage.gather()
            evidence.save(gathered, folder)
            violations += checker.check(gathered, getattr(module, "LONGEST_GAP", LONGEST_GAP))
            summary = checker.summary(gathered)
            if not summary["acknowledged"]:
                violations.append("nobody led, so nothing was shown")
        except Failed as failure:
            violations.append(f"no evidence: {failure}")
        notes = stage.notes
        keep_description(stage, folder)
        if not (violations and options.keep):
            try:
                stage.remove()
            except Failed as failure:
                violations.append(f"not removed: {failure}")
    outcome = Outcome(name, time.monotonic() - begin, violations, summary, notes)
    (folder / "result.txt").write_text("\n".join(report(outcome)) + "\n", encoding="utf-8")
    return outcome


def keep_description(stage, folder):
    """What kubectl shows, for whoever looks for the reason of a failure."""
    for name, command in {
        "objects.yaml": ["get", "deployments,pods,leases,configmaps,rolebindings", "-o", "yaml"],
        "events.txt": ["get", "events", "--sort-by=.metadata.creationTimestamp", "-o", "wide"],
        "pods.txt": ["describe", "pods"],
    }.items():
        try:
            (folder / name).write_text(stage.kubectl(*command), encoding="utf-8")
        except Failed as failure:
            (folder / name).write_text(f"{failure}\n", encoding="utf-8")


def report(outcome):
    yield f"{'passed' if outcome.passed else 'FAILED'}  {outcome.seconds:6.1f} s  {outcome.name}"
    for violation in outcome.violations:
        yield "          " + violation.replace("\n", "\n          ")
    for note in outcome.notes:
        yield f"          {note}"


def table(outcomes):
    columns = ("terms", "entries", "acknowledged", "refused", "failed", "longest_gap_s", "overlaps", "excused_overlaps")
    width = max(len(outcome.name) for outcome in outcomes)
    yield f"{'case':{width}}  result  seconds  " + "  ".join(columns)
    for outcome in outcomes:
        cells = [f"{outcome.summary.get(column, '-'):>{len(column)}}" for column in columns]
        yield f"{outcome.name:{width}}  {'passed' if outcome.passed else 'FAILED'}  {outcome.seconds:7.1f}  " + "  ".join(cells)


def junit(outcomes):
    """As ctest writes it, one attribute a line."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    cases = []
    for outcome in outcomes:
        why = "" if outcome.passed else f"<failure message={quoteattr('; '.join(outcome.violations))}/>"
        cases.append(f'\t<testcase name={quoteattr(outcome.name)} time="{outcome.seconds:.1f}">{why}</testcase>')
    head = [f'\ttests="{len(outcomes)}"', f'\tfailures="{len(failed)}"', '\tdisabled="0"', '\tskipped="0"']
    return "\n".join(['<testsuite name="e2e"', *head, ">", *cases, "</testsuite>"]) + "\n"


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="the long cases too")
    parser.add_argument("--keep", action="store_true", help="leave the namespace of a case that failed")
    parser.add_argument("--times", type=int, default=1, help="how often each case is run")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="of what is random")
    parser.add_argument("--minutes", type=float, default=10, help="how long the storm lasts")
    parser.add_argument("--folder", type=Path, required=True, help="where each case leaves its evidence")
    parser.add_argument("--report", type=Path, help="the counts as JUnit's XML")
    parser.add_argument("case", nargs="*")
    return parser.parse_args()


def main():
    options = parse()
    # So that whoever ends it has what it did to the cluster undone.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    modules = {name: load(name) for name in options.case or names()}
    if not options.case and not options.long:
        modules = {name: module for name, module in modules.items() if not getattr(module, "LONG", False)}
    cluster = Cluster()
    outcomes = []
    for turn in range(1, options.times + 1):
        for name, module in modules.items():
            print(f"\n-- {name}: {(module.__doc__ or '').strip()}", flush=True)
            folder = options.folder / (name if options.times == 1 else f"{name}-{turn}")
            outcomes.append(play(cluster, name, module, folder, options))
            print("\n".join(report(outcomes[-1])), flush=True)
            if not outcomes[-1].passed:
                print(f"          see {folder}", flush=True)
    failed = sum(not outcome.passed for outcome in outcomes)
    lines = [*table(outcomes), "", f"{len(outcomes) - failed} passed, {failed} failed"]
    if options.report:
        options.report.write_text(junit(outcomes), encoding="utf-8")
    (options.folder / "table.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks of what we care about that no compiler checks. style.py [--compiler c++] [TREE] prints each finding as
path:line: what is wrong, and fails if there is one. style_test.py shows that every check can fail.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

# The folders of lib/ that each folder may include from, beside itself: arrows point inward only.
ARROWS = {
    "core": set(),
    "net": set(),
    "http": {"net"},
    "json": {"core"},
    "file": {"core", "json"},
    "testing": {"core"},
    "kubernetes": {"core", "http", "json", "net"},
    "redis": {"core", "net", "json"},
    "consul": {"core", "http", "json", "net"},
    "admin": {"core", "http", "json", "net"},
}
# Public headers that know nothing of elections: all that transports may see.
WITHOUT_ELECTIONS = {"clock.h", "error.h", "export.h", "log.h", "version.h"}
TRANSPORTS = {"net", "http"}

TOP_LEVEL = {
    "CMakeLists.txt", "README.md", "LICENSE", "CHANGELOG.md",
    "include", "lib", "cmd", "manifests", "test", "e2e", "hack",
}  # fmt: skip

SOURCES = (".h", ".cc")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\s*\(")
DETACH = re.compile(r"(\.|->)detach\s*\(\s*\)")
# The words are spelled in pieces so that this file does not hold them.
LEFTOVER = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}~*-])/(" + "|".join(["ro" + "ot", "wo" + "rk", "ho" + "me"]) + r")(/|\b(?!\.))")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def find(pattern, message):
    """A check of one text: a finding for every match of the pattern."""
    return lambda path, text: [(line_of(text, m.start()), message.format(m.group(0).strip())) for m in pattern.finditer(text)]


check_sleep = find(SLEEP, "{} waits for time to pass; wait for the event instead")
check_detach = find(DETACH, "{} loses a thread; own it and join it")
check_leftover = find(LEFTOVER, "'{}' is a leftover")
check_machine_path = find(MACHINE_PATH, "'{}' is a path of one machine")


def check_include(path, text):
    """The arrows between folders, and public headers that include public headers only."""
    parts = Path(path).parts
    findings = []
    for match in INCLUDE.finditer(text):
        kind, included = match.groups()
        line = line_of(text, match.start() + len(match.group(0)) - len(match.group(0).lstrip()))
        folder = included.split("/")[0]
        if parts[0] == "include":
            if folder in ARROWS or (kind == '"' and folder != "leaderelection"):
                findings.append((line, f"public header includes {included}, which is not public"))
        elif parts[0] == "lib" and len(parts) > 2:
            own = parts[1]
            if own not in ARROWS:
                findings.append((line, f"lib/{own} is not in the table of arrows in test/style/style.py"))
            elif kind == '"' and folder in ARROWS and folder != own and folder not in ARROWS[own]:
                findings.append((line, f"lib/{own} includes {included}, against the arrows"))
            elif own in TRANSPORTS and folder == "leaderelection" and Path(included).name not in WITHOUT_ELECTIONS:
                findings.append((line, f"lib/{own} includes {included}, but transports know nothing of elections"))
        elif parts[0] == "cmd" and kind == '"' and folder in ARROWS:
            findings.append((line, f"a command includes {included}; it may use public headers only"))
    return findings


def check_top_level(paths):
    """The top level holds what the layout lists and hidden files, nothing else."""
    names = {Path(path).parts[0] for path in paths}
    return [(name, 1, "does not belong at the top level") for name in sorted(names) if not name.startswith(".") and name not in TOP_LEVEL]


def check_stands_alone(tree, header, compiler, includes):
    """A public header compiles as the only line of a program."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-missing-field-initializers"]
    command += [f"-I{directory}" for directory in includes] + ["-x", "c++", "-"]
    name = Path(header).relative_to("include")
    done = subprocess.run(command, input=f'#include "{name}"\n', capture_output=True, text=True, cwd=tree, check=False)
    if done.returncode == 0:
        return []
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
    return [(header, 1, f"does not compile alone: {first}")]


def is_source(path):
    return path.endswith(SOURCES)


# (which files, check)
CHECKS = [
    (is_source, check_sleep),
    (is_source, check_detach),
    (is_source, check_include),
    (lambda path: path != "LICENSE", check_leftover),
    (lambda path: True, check_machine_path),
]


def check_text(path, text):
    return [(path, line, message) for applies, check in CHECKS if applies(path) for line, message in check(path, text)]


def tracked_files(tree):
    """What git tracks; in a tree without git, everything but hidden and build folders."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [path for path in listed.stdout.split("\0") if path and (tree / path).is_file()]
    found = []
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        found += [str((Path(folder) / name).relative_to(tree)) for name in files]
    return found


def check_tree(tree, compiler, includes):
    paths = tracked_files(tree)
    findings = check_top_level(paths)
    for path in paths:
        try:
            text = (tree / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        findings += check_text(path, text)
        if compiler and path.startswith("include/") and path.endswith(".h"):
            findings += check_stands_alone(tree, path, compiler, includes)
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", help="also compile every public header alone, with this")
    parser.add_argument("--include", action="append", default=["include"], help="where generated headers lie")
    parser.add_argument("tree", nargs="?", default=".", type=Path)
    arguments = parser.parse_args()
    findings = check_tree(arguments.tree, arguments.compiler, arguments.include)
    for path, line, message in findings:
        print(f"{path}:{line}: {message}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

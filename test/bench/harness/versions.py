"""What was measured, in which version."""

import os
import re
import subprocess
from pathlib import Path

from harness import ROOT


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=ROOT)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip().splitlines()[0]


def number(text):
    """The version in what a program says of itself."""
    found = re.search(r"\d+\.\d+(\.\d+)?", text or "")
    return found.group(0) if found else None


def servers():
    """Of those that are up."""
    programs = {"Redis": ("redis-server", "--version")}
    if "LEADERELECTION_TEST_KUBE_DIR" in os.environ:
        folder = Path(os.environ["LEADERELECTION_TEST_KUBE_DIR"]) / "bin"
        programs |= {"kube-apiserver": (folder / "kube-apiserver", "--version"), "etcd": (folder / "etcd", "--version")}
    if "LEADERELECTION_TEST_CONSUL" in os.environ:
        programs["Consul"] = (os.environ["LEADERELECTION_TEST_CONSUL"], "version")
    found = {name: number(first_line(*command)) for name, command in programs.items()}
    return {name: version for name, version in found.items() if version}


def ours():
    commit = first_line("git", "describe", "--always", "--dirty", "--exclude=*") or "no commit"
    return f"{commit}, {first_line('c++', '--version')}, RelWithDebInfo"

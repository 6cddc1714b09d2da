"""Whether a process grows: its memory, descriptors and threads, sampled over its life."""

import os
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Sample:
    rss_kib: int
    descriptors: int
    threads: int


def sample(pid):
    """None if the process has ended."""
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines())
        return Sample(int(status["VmRSS"].split()[0]), len(os.listdir(f"/proc/{pid}/fd")), int(status["Threads"]))
    except (FileNotFoundError, ProcessLookupError, KeyError):
        return None


# What a process may have more of at the end than once it had settled: its allocator keeps what faults made it need, and
# a fault that is under way when it is looked at has a connection or a thread more.
ALLOWED = {"rss_kib": lambda before: max(2048, before // 5), "descriptors": lambda before: 4, "threads": lambda before: 2}


def thirds(samples, measure):
    """The middle of what was seen in the second third of its life, and in the last."""
    values = [getattr(one, measure) for one in samples]
    third = len(values) // 3
    return median(values[third : 2 * third]), median(values[2 * third :])


def grown(samples):
    """What has grown, in words; the first third, in which a process settles, does not count."""
    if len(samples) < 6:
        return []
    found = []
    for measure, allowed in ALLOWED.items():
        before, after = thirds(samples, measure)
        if after > before + allowed(before):
            found.append(f"{measure} grew from {before:g} to {after:g}")
    return found

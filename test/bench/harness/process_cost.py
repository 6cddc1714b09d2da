"""What a process costs, read from outside."""

import os
import time
from pathlib import Path


def processor_ns(pid):
    """By the process's own clock, which counts nanoseconds and threads that have ended; /proc counts ticks of 10 ms."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def memory_mib(pid):
    """Resident, and of that private."""
    sums = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]:
        key, value = line.split()[:2]
        sums[key.rstrip(":")] = int(value) / 1024
    return sums["Rss"], sums["Private_Clean"] + sums["Private_Dirty"]


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def connections(pid):
    """Of TCP."""
    ours = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            ours.add(os.readlink(entry))
        except FileNotFoundError:
            continue  # closed meanwhile
    lines = [line.split() for table in ("tcp", "tcp6")
             for line in Path(f"/proc/{pid}/net/{table}").read_text(encoding="utf-8").splitlines()[1:]]  # fmt: skip
    return sum(f"socket:[{fields[9]}]" in ours for fields in lines)


# What is read of every process, and in which unit.
UNITS = {"RSS": "MiB", "private memory": "MiB", "threads": "", "connections": "", "CPU": "s/hour", "requests": "per minute"}


class Costs:
    """Of one process that stands under a user of its own, from when this is made until it is asked."""

    def __init__(self, pid, user):
        self.pid, self.user, self.position = pid, user, user.cluster.audit_position()
        self.at, self.spent = time.monotonic_ns(), processor_ns(pid)

    def read(self):
        hours = (time.monotonic_ns() - self.at) / 3.6e12
        processor = (processor_ns(self.pid) - self.spent) / 1e9
        rss, private = memory_mib(self.pid)
        return {
            "RSS": rss, "private memory": private, "threads": threads(self.pid), "connections": connections(self.pid),
            "CPU": processor / hours, "requests": self.user.requests_since(self.position, hours * 60),
        }  # fmt: skip

"""The machine, and how busy it was: whoever reads a figure wants to know."""

import os
import platform
from pathlib import Path


def describe():
    model = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
             if line.startswith("model name")]  # fmt: skip
    memory = int(Path("/proc/meminfo").read_text(encoding="utf-8").split()[1]) / 2**20
    cores = f"{len(os.sched_getaffinity(0))} cores ({model[0] if model else platform.machine()})"
    return f"{cores}, {memory:.0f} GiB, Linux {platform.release()}"


def _jiffies():
    fields = [int(field) for field in Path("/proc/stat").read_text(encoding="utf-8").split("\n")[0].split()[1:9]]
    idle = fields[3] + fields[4]
    return sum(fields), sum(fields) - idle


class Load:
    """From when it is made until it is asked."""

    def __init__(self):
        self.start = _jiffies()

    def __str__(self):
        total, busy = (now - then for now, then in zip(_jiffies(), self.start))
        return f"load {os.getloadavg()[0]:.1f}, processors {100 * busy / max(total, 1):.0f} % busy"

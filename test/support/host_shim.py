"""The host that one candidate sees, through test/faults/host_shim.cc: clocks that are turned, a disk that fails."""

import mmap
import os
import struct
import time

NAMES = ["sequence", "wall_real", "wall_shown", "wall_rate", "boot_real", "boot_shown", "boot_rate"]
NAMES += ["disk_full", "disk_hangs", "sync_fails", "sync_delay", "clock_reads", "timers_set", "disk_faults"]
DOUBLES = {"wall_rate", "boot_rate"}
CLOCKS = {"wall": time.CLOCK_REALTIME, "boot": time.CLOCK_BOOTTIME}


class Host:
    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(8 * len(NAMES)))
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        for clock, number in CLOCKS.items():
            now = time.clock_gettime_ns(number)
            self._set(**{f"{clock}_real": now, f"{clock}_shown": now, f"{clock}_rate": 1.0})

    def environment(self):
        preloaded = [os.environ["HOST_SHIM_LIBRARY"], os.environ.get("LD_PRELOAD", "")]
        return {"HOST_SHIM": str(self.path), "LD_PRELOAD": ":".join(filter(None, preloaded))}

    def get(self, name):
        return struct.unpack_from("<d" if name in DOUBLES else "<q", self.memory, 8 * NAMES.index(name))[0]

    def shown_ns(self, clock):
        real = time.clock_gettime_ns(CLOCKS[clock]) - self.get(f"{clock}_real")
        return self.get(f"{clock}_shown") + round(real * self.get(f"{clock}_rate"))

    def run(self, clock, rate):
        """From here on the clock runs at this rate, without a step; 0: it stands still."""
        shown, real = self.shown_ns(clock), time.clock_gettime_ns(CLOCKS[clock])
        self._turn(**{f"{clock}_real": real, f"{clock}_shown": shown, f"{clock}_rate": float(rate)})

    def step(self, clock, seconds):
        self._turn(**{f"{clock}_shown": self.get(f"{clock}_shown") + round(seconds * 1e9)})

    def break_disk(self, **faults):
        """disk_full, disk_hangs (0 or 1), sync_fails (how many), sync_delay (milliseconds)."""
        self._set(**faults)

    def _turn(self, **values):
        self._set(sequence=self.get("sequence") + 1)
        self._set(**values)
        self._set(sequence=self.get("sequence") + 1)

    def _set(self, **values):
        for name, value in values.items():
            struct.pack_into("<d" if name in DOUBLES else "<q", self.memory, 8 * NAMES.index(name), value)

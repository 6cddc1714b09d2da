"""Every wait here ends: with what was waited for, or with an error that names it."""

import time

PATIENCE = 120  # seconds; for what takes a few on an idle machine
PACE = 0.1


class Failed(Exception):
    """A case has not gone as it should."""


def boot_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def wait_for(what, condition, patience=PATIENCE, pace=PACE):
    """The first true value of the condition, asked again and again."""
    deadline = time.monotonic() + patience
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise Failed(f"waited {patience} s in vain for {what}")
        time.sleep(pace)
    return found

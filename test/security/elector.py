"""leader-elector as an operator runs it, with all that it says: for tests that look for a cause, and for a secret."""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 60  # seconds; a machine may be busy


def environment(**more):
    """Of this process, without what would point leader-elector anywhere else."""
    foreign = ("KUBE", "REDIS_", "CONSUL_", "LEADER_ELECTOR")
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | more


class Elector:
    """One process of leader-elector; its standard output and error go to one file."""

    def __init__(self, arguments, variables=None):
        self.output = tempfile.NamedTemporaryFile(prefix="elector-")
        command = [os.environ["LEADER_ELECTOR"], *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT,
                                        env=environment(**(variables or {})), start_new_session=True)  # fmt: skip

    def said(self):
        return Path(self.output.name).read_text(encoding="utf-8", errors="replace")

    def says(self, phrase, after=0, patience=PATIENCE):
        """Waits until it has said this behind that position, or has ended."""
        deadline = time.monotonic() + patience
        while self.said().find(phrase, after) < 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                return self.said().find(phrase, after) >= 0
            time.sleep(0.02)
        return True

    def wait(self):
        return self.process.wait(PATIENCE)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()

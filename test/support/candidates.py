"""Candidate processes, ours and a peer's: each prints one line of JSON for every event, and both take the same flags."""

import json
import os
import signal
import subprocess
import threading
import time

PATIENCE = 120  # seconds; a trial that takes longer has failed


def boot_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Failed(Exception):
    """What was waited for did not come."""


class Candidate:
    def __init__(self, command, identity, log, environment=None, arrived=None):
        """`arrived` is shared by candidates that are waited for together."""
        self.identity = identity
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True, env=environment
        )
        self.events = []
        self.arrived = arrived or threading.Condition()
        self.ended = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.arrived:
                self.events.append(json.loads(line))
                self.arrived.notify_all()
        with self.arrived:
            self.ended = True
            self.arrived.notify_all()

    def find(self, event, **fields):
        for found in self.events:
            if found["event"] == event and all(found.get(key) == value for key, value in fields.items()):
                return found
        return None

    def wait(self, event, patience=PATIENCE, **fields):
        deadline = time.monotonic() + patience
        with self.arrived:
            while (found := self.find(event, **fields)) is None:
                left = deadline - time.monotonic()
                if left <= 0 or self.ended:
                    raise Failed(f"{self.identity}: no '{event}' {fields or ''}; had {[e['event'] for e in self.events]}")
                self.arrived.wait(left)
            return found

    def send(self, number):
        self.process.send_signal(number)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class Troupe:
    """Three candidates of one kind on one lock; whoever is ended is replaced under a new name."""

    def __init__(self, kind, lock, durations, log, size=3):
        self.kind, self.lock, self.durations, self.log = kind, lock, durations, log
        self.count = 0
        self.members = []
        self.arrived = threading.Condition()
        try:
            self.leader = self.add()
            self.leader.wait("started")
            for _ in range(size - 1):
                self.add_follower()
        except BaseException:
            self.end()
            raise

    def add(self):
        self.count += 1
        identity = f"{self.kind.name}-{self.count}-{os.getpid()}"
        names = ("lease-duration", "renew-deadline", "retry-period")
        flags = [part for name, value in zip(names, self.durations) for part in (f"--{name}", value)]
        command = [*self.kind.command(self.lock), "--identity", identity, *flags, "--release-on-cancel"]
        member = Candidate(command, identity, self.log, arrived=self.arrived)
        self.members.append(member)
        return member

    def add_follower(self):
        self.add().wait("new_leader", leader=self.leader.identity)

    def followers(self):
        return [member for member in self.members if member is not self.leader]

    def settle(self, patience=PATIENCE):
        """Waits until every follower knows who leads."""
        for member in self.followers():
            member.wait("new_leader", patience, leader=self.leader.identity)

    def successor(self):
        """Waits until a follower leads; returns when it said so, by the boot clock."""
        deadline = time.monotonic() + PATIENCE
        old = self.leader
        with self.arrived:
            while not (led := [member for member in self.followers() if member.find("started")]):
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Failed("nobody took over")
                self.arrived.wait(left)
        self.members.remove(old)
        self.leader = led[0]
        return self.leader.find("started")["boot_ns"]

    def succeed(self):
        """As successor(), and all the others know it."""
        started = self.successor()
        self.settle()
        return started

    def end(self):
        for member in self.members:
            member.end()

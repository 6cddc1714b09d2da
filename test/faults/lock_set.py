"""The lock-set workload: five candidates on one lock, all the faults at random, and every leader adds elements to one
register by reading and writing it. What was acknowledged and is not there in the end is a lost update.
"""

import collections
import os
import random
import subprocess
import time

import stage as stages
from stage import raw_ns

SIZE = 5


class Faults:
    """Seeded: what is done next, to whom, and for how long. Most of it hits the leader, where it hurts."""

    def __init__(self, stage, seed):
        self.stage, self.random = stage, random.Random(seed)
        self.pending = []  # (when, how it is undone)
        # Pauses that outlast the lease make stale writes; the rest keeps leaders changing.
        self.kinds = [self.long_pause] * 4 + [self.short_pause, self.kill, self.cut, self.delay, self.reset, self.lose]

    def step(self, now):
        """Undoes what is due, and does something new."""
        due = [undo for when, undo in self.pending if when <= now]
        self.pending = [(when, undo) for when, undo in self.pending if when > now]
        for undo in due:
            undo()
        victim = self.victim()
        if victim and len(self.pending) < 3:
            self.random.choice(self.kinds)(victim, now)

    def victim(self):
        """Who leads, as a rule; while nobody does, there is nobody to hurt."""
        free = [player for player in self.stage.players if player.process.poll() is None and not player.hurt]
        leading = [player for player in free if player.valid_until() > raw_ns() - 100_000_000]
        return self.random.choice((leading if self.random.random() < 0.9 else free) or [None])

    def until(self, victim, when, undo):
        victim.hurt = True

        def mend():
            victim.hurt = False
            undo()

        self.pending.append((when, mend))

    def long_pause(self, victim, now):
        victim.pause()
        self.until(victim, now + self.random.uniform(4, 6), victim.go_on)

    def short_pause(self, victim, now):
        victim.pause()
        self.until(victim, now + self.random.uniform(0.1, 2), victim.go_on)

    def kill(self, victim, now):
        victim.kill()
        self.stage.add(flags=self.stage.flags)

    def cut(self, victim, now):
        victim.link.cut()
        self.until(victim, now + self.random.uniform(1, 5), victim.link.heal)

    def delay(self, victim, now):
        victim.link.delay(replies=self.random.uniform(0.1, 1.5))
        self.until(victim, now + 3, victim.link.heal)

    def reset(self, victim, now):
        victim.link.reset_once()

    def lose(self, victim, now):
        victim.link.lose_replies(1)

    def undo_all(self):
        for _, undo in self.pending:
            undo()
        self.pending = []


class Register:
    """On the Redis of the tests, by a key of its own, whatever the lock is on."""

    def __init__(self, key):
        self.address = os.environ["LEADERELECTION_TEST_REDIS_STANDALONE_SERVERS"]
        self.key = key

    def flags(self, guarded):
        flags = ["--register", self.address, "--register-key", self.key, "--think", "30ms"]
        return flags if guarded else [*flags, "--unguarded"]

    def elements(self):
        words = ["redis-cli", "-p", self.address.rsplit(":", 1)[1]]
        value = subprocess.run([*words, "HGET", self.key, "value"], check=True, capture_output=True, text=True).stdout
        subprocess.run([*words, "DEL", self.key], check=True, capture_output=True)
        return value.split()


def run(backend, guarded, duration, seed):
    """Returns the counts, the verdict of history, and the updates that were lost."""
    stage = stages.Stage(backend)
    register = Register(f"register-{stage.backend.name}")
    stage.flags = ["--again", *register.flags(guarded)]
    try:
        for _ in range(SIZE):
            stage.add(flags=stage.flags)
        stage.leader()
        faults = Faults(stage, seed)
        end = time.monotonic() + duration
        while (now := time.monotonic()) < end:
            faults.step(now)
            time.sleep(0.25)
        faults.undo_all()
        stage.leader()
        for player in stage.players:
            player.ask_to_stop()
        for player in stage.players:
            player.process.wait(stages.PATIENCE)
            player.candidate.reader.join()
        acknowledged, refused = (told(stage, event) for event in ("wrote", "refused"))
        present = set(register.elements())
        lost = [element for element in acknowledged if element not in present]
        stage.counts |= collections.Counter(updates=len(acknowledged), refused=len(refused), lost=len(lost))
        return stage.counts, stage.judge(), lost
    finally:
        stage.close()


def told(stage, event):
    return [found["element"] for player in stage.players for found in player.candidate.events if found["event"] == event]

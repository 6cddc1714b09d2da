#!/usr/bin/env python3
"""soak.py HOURS: elections on all backends at once, with faults at random, and a table in the end.

On each backend three candidates live through the whole run; they are paused and cut off, their servers hang and are
restarted, but they are never killed, so that their memory, descriptors and threads can be watched. Two more are killed now
and then. Fails if one of the three grows or ends, or if the history of a backend has a mistake. Started by hack/soak.sh.
"""

import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import growth  # noqa: E402
import lock_set  # noqa: E402
import stage as stages  # noqa: E402
from backends import BACKENDS  # noqa: E402

LIVES_ON = 3
LOOK, TELL = 5, 60  # seconds between two samples, and between two lines of progress
# What a restarted Redis of these tests has forgotten, nobody can promise anything about.
SERVER_FAULTS = {"lease": ("hang", "restart"), "consul": ("hang", "restart"), "redis": ("hang",), "file": ("hang",)}


class Faults(lock_set.Faults):
    def __init__(self, stage, kind, seed):
        super().__init__(stage, seed)
        self.kind = kind
        self.kinds = [self.long_pause, self.short_pause, self.cut, self.delay, self.reset, self.lose, self.drop]
        self.kinds += [self.half_open, self.drip, self.kill, self.hand_off]
        self.server_down = False

    def drop(self, victim, now):
        victim.link.drop()
        self.until(victim, now + self.random.uniform(1, 4), victim.link.heal)

    def half_open(self, victim, now):
        victim.link.half_open()
        self.until(victim, now + self.random.uniform(1, 4), victim.link.heal)

    def drip(self, victim, now):
        victim.link.drip(0.0003)
        self.until(victim, now + 3, victim.link.heal)

    def kill(self, victim, now):
        """Only those who came later."""
        if victim in self.stage.players[LIVES_ON:]:
            super().kill(victim, now)

    def hand_off(self, victim, now):
        if victim in self.stage.players[LIVES_ON:]:
            self.stage.counts["hand-offs"] += 1
            victim.ask_to_stop()
            self.stage.add(flags=self.stage.flags)

    def step(self, now):
        super().step(now)
        if not self.server_down and self.random.random() < 0.005:
            self.break_server(now)

    def break_server(self, now):
        self.server_down = True
        fault = self.random.choice(SERVER_FAULTS[self.kind])
        self.stage.control("stop" if fault == "hang" else "kill")

        def mend():
            self.stage.control("cont" if fault == "hang" else "restart")
            self.server_down = False

        self.pending.append((now + self.random.uniform(1, 6), mend))


class Soaked:
    """The election on one backend."""

    def __init__(self, kind, seed):
        self.kind = kind
        self.stage = stages.Stage(kind)
        self.stage.flags = ["--again"]
        for _ in range(lock_set.SIZE):
            self.stage.add(flags=self.stage.flags)
        self.stage.leader()
        self.faults = Faults(self.stage, kind, seed)
        self.samples = {player.name: [] for player in self.watched()}

    def watched(self):
        return self.stage.players[:LIVES_ON]

    def look(self):
        for player in self.watched():
            seen = growth.sample(player.process.pid)
            if seen:
                self.samples[player.name].append(seen)

    def step(self, now):
        # One fault in a second or so: else nobody would ever lead for long.
        if self.faults.random.random() < 0.25:
            self.faults.step(now)

    def progress(self):
        latest = [samples[-1] for samples in self.samples.values()]
        verdict = self.stage.judge()
        rss = " ".join(f"{one.rss_kib / 1024:.1f}" for one in latest)
        descriptors, threads = (" ".join(str(getattr(one, what)) for one in latest) for what in ("descriptors", "threads"))
        return f"{self.kind:7} terms {verdict.terms:4}  RSS {rss} MiB  fds {descriptors}  threads {threads}  violations {len(verdict.violations)}"

    def finish(self):
        """Ends it all; returns the row of the table and what is wrong."""
        self.faults.undo_all()
        self.stage.leader()
        wrong = [f"{self.kind}: {player.name} ended by itself" for player in self.watched() if player.process.poll() is not None]
        for player in self.stage.players:
            player.ask_to_stop()
        for player in self.stage.players:
            player.process.wait(stages.PATIENCE)
        verdict = self.stage.judge()
        wrong += [f"{self.kind}: {violation}" for violation in verdict.violations]
        for name, samples in self.samples.items():
            wrong += [f"{self.kind}: {name}: {what}" for what in growth.grown(samples)]
        return self.row(self.stage.close(), verdict), wrong

    def row(self, counts, verdict):
        numbers = [counts[name] for name in ("faults", "kills", "pauses", "server faults", "hand-offs")]
        memory, descriptors = (self.first_and_last(measure) for measure in ("rss_kib", "descriptors"))
        return [self.kind, verdict.terms, *numbers, memory, descriptors, len(verdict.violations)]

    def first_and_last(self, measure):
        pairs = [growth.thirds(samples, measure) for samples in self.samples.values() if len(samples) >= 6]
        return f"{max(a for a, _ in pairs):g}->{max(b for _, b in pairs):g}" if pairs else "-"


HEAD = ["backend", "terms", "faults", "kills", "pauses", "server", "hand-offs", "RSS KiB", "fds", "violations"]


def soak(hours, seed):
    end = time.monotonic() + hours * 3600
    elections = [Soaked(kind, seed + number) for number, kind in enumerate(BACKENDS)]
    looked = told = 0.0
    while (now := time.monotonic()) < end:
        for election in elections:
            election.step(now)
        if now >= looked + LOOK:
            looked = now
            for election in elections:
                election.look()
        if now >= told + TELL:
            told = now
            print(f"{end - now:6.0f} s to go", flush=True)
            for election in elections:
                print("  " + election.progress(), flush=True)
        time.sleep(0.25)
    return [election.finish() for election in elections]


def main():
    seed = int(os.environ.get("SOAK_SEED") or random.randrange(10**6))
    hours = float(sys.argv[1])
    print(f"seed {seed}, {hours:g} h", flush=True)
    outcome = soak(hours, seed)
    rows = [HEAD] + [row for row, _ in outcome]
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        print("  ".join(str(cell).rjust(width) for cell, width in zip(row, widths)))
    wrong = [what for _, found in outcome for what in found]
    print("\n".join(wrong) or "nothing grew, and no two led at one time")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Candidates on one lock, each with a way to it and a host of its own that can be broken; what was done is counted, and
in the end the history of all is judged.
"""

import collections
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import history  # noqa: E402
from backends import BACKENDS  # noqa: E402
from candidates import Candidate  # noqa: E402
from host_shim import Host  # noqa: E402

SHORT = ("3s", "2s", "500ms")
PATIENT = ("12s", "8s", "500ms")  # for what must cost no term on a busy machine
PATIENCE = 60


def raw_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def seconds(duration):
    return float(duration[:-2]) / 1000 if duration.endswith("ms") else float(duration[:-1])


class Player:
    """A candidate process with its link and its host."""

    def __init__(self, stage, name, identity, flags):
        self.stage, self.name = stage, name
        self.hurt = False  # by a fault that is to be undone
        self.log = stage.folder / f"{name}.validity"
        self.host = Host(stage.folder / f"{name}.host")
        self.link = stage.backend.link(self.host)
        command = [os.environ["OUR_CANDIDATE"], *stage.backend.flags(self.link), "--identity", identity]
        names = ("--lease-duration", "--renew-deadline", "--retry-period")
        command += [part for flag in zip(names, stage.durations) for part in flag]
        command += ["--release-on-cancel", "--validity-log", self.log, *flags]
        if os.environ.get("FAULTS_VERBOSE"):
            command.append("--verbose")
        environment = {**os.environ, **self.host.environment(), **stage.backend.environment()}
        self.candidate = Candidate(command, name, None, environment)
        self.wait, self.find = self.candidate.wait, self.candidate.find
        self.process = self.candidate.process

    def spans(self):
        return history.mark_released(history.read_spans(self.log, self.name), self.candidate.events)

    def valid_until(self):
        """The last moment at which it is known to have led."""
        return max((span.last for span in self.spans()), default=0)

    def pause(self):
        self.stage.counts["pauses"] += 1
        self.candidate.send(signal.SIGSTOP)

    def go_on(self):
        self.candidate.send(signal.SIGCONT)

    def kill(self):
        self.stage.counts["kills"] += 1
        self.candidate.send(signal.SIGKILL)
        self.process.wait()

    def ask_to_stop(self):
        self.candidate.send(signal.SIGTERM)

    def end(self):
        self.link.heal()
        self.candidate.end()
        self.link.close()


class Stage:
    def __init__(self, backend, durations=SHORT, name=""):
        self.folder = Path(tempfile.mkdtemp(prefix="faults-"))
        self.durations = durations
        lease, deadline, _ = (seconds(duration) for duration in durations)
        self.renew_deadline, self.margin = deadline, lease - deadline
        self.counts = collections.Counter(schedules=1)
        self.players = []
        unique = f"faults-{os.getpid()}-{raw_ns() % 10**9}"
        kind = BACKENDS[backend] if isinstance(backend, str) else backend
        self.backend = kind(self.folder, unique)
        self.name = name

    def add(self, identity=None, flags=()):
        name = f"{chr(ord('a') + len(self.players) % 26)}{len(self.players) // 26 or ''}"
        player = Player(self, name, identity or name, flags)
        self.players.append(player)
        return player

    def pair(self, flags=()):
        """A leader, and a follower who knows of it."""
        leader = self.add(flags=flags)
        leader.wait("started")
        follower = self.add(flags=flags)
        follower.wait("new_leader", leader=leader.name)
        return leader, follower

    def leader(self, among=None):
        """Waits until one leads now, and returns it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for player in among or self.players:
                if player.process.poll() is None and player.valid_until() > raw_ns() - 50_000_000:
                    return player
            time.sleep(0.01)
        raise AssertionError("nobody leads")

    def wait_until_valid(self, player, moment):
        """Waits until this player is known to have led after the moment."""
        deadline = time.monotonic() + PATIENCE
        while player.valid_until() <= moment:
            assert time.monotonic() < deadline, f"{player.name} does not lead any more"
            time.sleep(0.01)

    def control(self, command):
        if command != "cont":
            self.counts["server faults"] += 1
        self.backend.control(command)

    def judge(self, margin=None):
        spans = [span for player in self.players for span in player.spans()]
        events = {player.name: list(player.candidate.events) for player in self.players}
        return history.judge(spans, events, self.margin if margin is None else margin)

    def close(self):
        """Ends all; returns what was done to them."""
        for player in self.players:
            player.end()
            self.counts["faults"] += player.link.counts["faults"]
        self.backend.close()
        shutil.rmtree(self.folder)
        for kind in ("kills", "pauses", "server faults", "clock faults"):
            self.counts["faults"] += self.counts[kind]
        return self.counts


def report(name, counts):
    """One line for people, and a file for the sum over all tests."""
    line = json.dumps(counts)
    print(f"{name}: {line}")
    folder = os.environ.get("FAULTS_COUNTS")
    if folder and Path(folder).is_dir():
        (Path(folder) / f"{name}.json").write_text(line, encoding="utf-8")

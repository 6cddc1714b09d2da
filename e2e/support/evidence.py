"""What a case leaves behind, as the checker reads it: the terms of the fenced log, what the witnesses said, and the Lease's
history. All times are nanoseconds of CLOCK_BOOTTIME, which every container of one host shares."""

import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Term:
    """A line of the fenced log: who wrote, under which number, which entries and when."""

    number: int
    identity: str
    first: int
    last: int
    first_sent_ns: int
    last_sent_ns: int

    def __str__(self):
        return f"term {self.number} of {self.identity}"


@dataclass
class Evidence:
    terms: list  # of Term, as they are in the log
    lines: list  # of dict: what the witnesses said on standard output
    read_ns: float = float("inf")  # when the log began to be read: what was acknowledged later need not be in it
    leases: list = field(default_factory=list)  # of dict: the Lease as `kubectl get lease -w` showed it
    excused: set = field(default_factory=set)  # of (identity, number): terms whose work may act late; see checker.py


def parse_terms(config_map):
    text = (config_map.get("data") or {}).get("terms", "")
    return [Term(**json.loads(line)) for line in text.splitlines()]


def parse_line(text):
    """A witness's line, or None if it is somebody else's."""
    try:
        line = json.loads(text)
    except ValueError:
        return None
    known = isinstance(line, dict) and {"event", "identity", "number", "boot_ns"} <= line.keys()
    return line if known else None


def pod_of(identity):
    """leader-elector's identities are hostname_pid_random, and a pod's hostname is its name."""
    return identity.split("_")[0]


def save(evidence, folder: Path):
    documents = {"terms": [term.__dict__ for term in evidence.terms], "lines": evidence.lines, "leases": evidence.leases}
    for name, rows in documents.items():
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

"""Judges what candidates did, whatever was done to them: at no moment of true time were two terms valid; numbers rise;
`started` and `stopped` alternate; and a term that was not released was over for some time before another's began.
"""

import itertools
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Span:
    """A time, in nanoseconds of a clock that no test turns, through which a term was valid for certain."""

    candidate: str
    number: int
    first: int
    last: int
    released: bool = False


@dataclass
class Verdict:
    terms: int = 0
    violations: list = field(default_factory=list)
    shortest_gap: float = float("inf")  # seconds between an unreleased term and another candidate's next one


def read_spans(path, candidate):
    """What a candidate's --validity-log says."""
    lines = Path(path).read_text(encoding="ascii").splitlines() if Path(path).exists() else []
    rows = [[int(word) for word in line.split()] for line in lines]
    return [Span(candidate, number, first, last) for number, first, last, _ in rows]


def mark_released(spans, events):
    """The last term of a candidate that was asked to stop was given up by it; the next one may begin at once."""
    if not spans or not any(event["event"] == "exit" and event.get("reason") == "cancelled" for event in events):
        return spans
    last = spans[-1]
    return [*spans[:-1], Span(last.candidate, last.number, last.first, last.last, True)]


def judge(spans, events_of=None, margin=0.0):
    """`events_of`: the events of each candidate by name. `margin`: seconds that must lie between a term that was not
    released and another candidate's next one; with equal clocks lease_duration - renew_deadline. Its own leftover a
    candidate may take up again at once."""
    # One that was seen once has no length, and its place in the order is not certain.
    certain = sorted((span for span in spans if span.first < span.last), key=lambda span: span.first)
    verdict = Verdict(terms=len(certain))
    if not certain:
        verdict.violations.append("nobody ever led")
    verdict.violations += overlaps(certain) + falling_numbers(certain)
    for before, after in itertools.pairwise(certain):
        gap = (after.first - before.last) / 1e9
        if before.released or before.candidate == after.candidate:
            continue
        verdict.shortest_gap = min(verdict.shortest_gap, gap)
        if 0 <= gap < margin:
            verdict.violations.append(f"{tell(after)} began {gap:.3f} s after {tell(before)}, less than {margin:.3g} s")
    for candidate, events in (events_of or {}).items():
        verdict.violations += out_of_turn(candidate, events)
    return verdict


def tell(span):
    return f"term {span.number} of {span.candidate}"


def overlaps(ordered):
    """Of terms in the order of their beginnings; each with all that began before it and last into it."""
    found, open_spans = [], []
    for span in ordered:
        open_spans = [other for other in open_spans if other.last > span.first]
        for other in open_spans:
            together = (min(other.last, span.last) - span.first) / 1e9
            found.append(f"{tell(other)} and {tell(span)} were both valid for {together:.3f} s")
        open_spans.append(span)
    return found


def falling_numbers(ordered):
    pairs = itertools.pairwise(ordered)
    return [f"{tell(after)} has no higher number than {tell(before)} before it" for before, after in pairs if after.number <= before.number]


def out_of_turn(candidate, events):
    """started, stopped, started, ...; the last one may have been killed before it could say stopped."""
    said = [event["event"] for event in events if event["event"] in ("started", "stopped")]
    expected = itertools.cycle(("started", "stopped"))
    return [f"{candidate} said {said}, which does not alternate"] if any(a != b for a, b in zip(said, expected)) else []

"""A figure is one number of each contestant, with what ours is to reach and how near it came."""

from dataclasses import dataclass, field


def show(value):
    """As people write it: two places behind the point, fewer if it is large, more if it is small."""
    if value is None:
        return "-"
    if isinstance(value, int) or value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


@dataclass(frozen=True)
class AtMost:
    limit: float

    def text(self, unit):
        return f"at most {show(self.limit)} {unit}".rstrip()

    def bound(self, _values):
        return self.limit


@dataclass(frozen=True)
class Share:
    """At most so many times what a peer has."""

    peer: str
    share: float
    words: str

    def text(self, _unit):
        return self.words

    def bound(self, values):
        return values[self.peer] * self.share if values.get(self.peer) is not None else None


@dataclass(frozen=True)
class Figure:
    what: str
    unit: str
    values: dict  # contestant -> number, or None where it never came to that
    goals: dict = field(default_factory=dict)  # contestant -> AtMost or Share

    def outcome(self, contestant):
        """met, or missed by how much; nothing if there is no goal or nothing to hold it against."""
        goal, value = self.goals.get(contestant), self.values.get(contestant)
        if goal is None or contestant not in self.values:
            return None
        bound = goal.bound(self.values)
        if bound is None:
            return None
        if value is None:
            return "missed: never"
        if value <= bound:
            return "met"
        share = f" ({(value / bound - 1) * 100:.0f} %)" if bound else ""
        return f"missed by {show(value - bound)} {self.unit}".rstrip() + share


@dataclass(frozen=True)
class Section:
    """What one measure has found. The first of ours and the first peer are set in proportion."""

    title: str
    figures: list
    ours: list
    peers: list
    samples: dict = field(default_factory=dict)  # contestant -> every trial, for the plot
    mark: tuple = ()  # a value that the plot shows, and what it is
    note: str = ""

"""Every trial as a dot: a panel for each measure that has samples, a row for each contestant. SVG, written by hand."""

import math
from xml.sax.saxutils import escape

from harness.contestants import OURS
from harness.figures import show
from harness.statistics import median

WIDTH, LEFT, RIGHT, ROW, HEAD, FOOT = 860, 150, 40, 46, 52, 40
OUR_COLOUR, PEER_COLOUR, INK, FAINT = "#0b6e4f", "#b5482f", "#333333", "#dddddd"
PANELS = ("Graceful hand-off", "Crash at 15/10/2", "Crash at 3/2/0.5")


class LogAxis:
    def __init__(self, values):
        self.low = 10 ** math.floor(math.log10(max(min(values), 1e-3)))
        self.high = 10 ** math.ceil(math.log10(max(*values, self.low * 10)))

    def place(self, value):
        return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)

    def ticks(self):
        return [10**power for power in range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)]


class LinearAxis:
    def __init__(self, values):
        span = max(values) - min(values)
        steps = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60, 600)
        self.step = next((step for step in steps if span <= 8 * step), steps[-1])
        self.low = math.floor(min(values) / self.step) * self.step
        self.high = math.ceil(max(values) / self.step) * self.step
        if self.high == self.low:
            self.high += self.step

    def place(self, value):
        return (value - self.low) / (self.high - self.low)

    def ticks(self):
        return [round(self.low + number * self.step, 6) for number in range(round((self.high - self.low) / self.step) + 1)]


def text(x, y, words, anchor="start", size=12, colour=INK, weight="normal"):
    font = f'text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {font}>{escape(words)}</text>'


def dots(values, axis, y, colour):
    """Spread over the height of a row, always in the same way, so that equal ones can be told apart."""
    for number, value in enumerate(values):
        spread = ((number * 7) % 11 - 5) * 2
        yield f'<circle cx="{x_of(axis, value):.1f}" cy="{y + spread}" r="2.6" fill="{colour}" fill-opacity="0.55"/>'


def x_of(axis, value):
    return LEFT + axis.place(value) * (WIDTH - LEFT - RIGHT)


def panel(section, top):
    every = [value for values in section.samples.values() for value in values]
    unit = section.figures[0].unit
    every += section.mark[:1]
    axis = LogAxis(every) if max(every) > 20 * max(min(every), 1e-9) else LinearAxis(every)
    bottom = top + HEAD + ROW * len(section.samples)
    yield text(10, top + 22, section.title, size=14, weight="bold")
    for tick in axis.ticks():
        x = x_of(axis, tick)
        yield f'<line x1="{x:.1f}" y1="{top + HEAD - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{FAINT}"/>'
        yield text(x, bottom + 16, f"{show(tick)} {unit}", "middle", 11)
    if section.mark:
        value, words = section.mark
        x = x_of(axis, value)
        yield f'<line x1="{x:.1f}" y1="{top + HEAD - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{INK}" stroke-dasharray="3 3"/>'
        yield text(x, top + HEAD - 12, words, "middle", 10)
    for number, (name, values) in enumerate(section.samples.items()):
        y, colour = top + HEAD + ROW * number + ROW // 2, OUR_COLOUR if name in OURS else PEER_COLOUR
        yield text(LEFT - 12, y + 4, name, "end")
        yield from dots(values, axis, y, colour)
        middle = x_of(axis, median(values))
        yield f'<line x1="{middle:.1f}" y1="{y - 17}" x2="{middle:.1f}" y2="{y + 17}" stroke="{colour}" stroke-width="2"/>'
        yield text(middle + 5, y - 13, f"p50 {show(median(values))} {unit}", size=10, colour=colour)


def draw(sections):
    """The hand-offs and take-overs among these."""
    top, shapes = 0, []
    for section in sections:
        if section.samples and section.title.startswith(PANELS):
            shapes += panel(section, top)
            top += HEAD + ROW * len(section.samples) + FOOT
    size = f'width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{top}" fill="white"/>', *shapes, "</svg>"]) + "\n"

"""How a measure says what it found."""

from harness.contestants import OURS
from harness.figures import Section


def section(title, names, figures, ours=OURS, **more):
    """`names`: all contestants. Those of ours come first, the rest are peers."""
    mine = [name for name in names if name in ours]
    return Section(title, figures, mine, [name for name in names if name not in mine], **more)


def trials(samples):
    counts = {len(values) for values in samples.values()}
    return f"{min(counts)} trials" if len(counts) == 1 else f"{min(counts)} to {max(counts)} trials"

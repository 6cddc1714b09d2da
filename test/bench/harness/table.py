"""Tables that read well on a terminal and as Markdown."""

from harness.figures import show


def render(header, rows):
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(header))]

    def line(row):
        first, *rest = [cell.ljust(width) if column == 0 or column >= len(header) - 2 else cell.rjust(width)
                        for column, (cell, width) in enumerate(zip(row, widths))]  # fmt: skip
        return "| " + " | ".join([first, *rest]) + " |"

    ruler = ["-" * width if column == 0 or column >= len(header) - 2 else "-" * (width - 1) + ":"
             for column, width in enumerate(widths)]  # fmt: skip
    return "\n".join([line(cells[0]), "| " + " | ".join(ruler) + " |", *map(line, cells[1:])])


def ratio(figure, ours, peer):
    mine, theirs = figure.values.get(ours), figure.values.get(peer)
    return show(mine / theirs) if mine is not None and theirs else ""


def goals(figure):
    """Texts of the goals and of the outcomes, each once."""
    texts = [goal.text(figure.unit) for name, goal in figure.goals.items() if name in figure.values]
    outcomes = [figure.outcome(name) for name in figure.goals]
    return "; ".join(dict.fromkeys(texts)), "; ".join(outcome for outcome in outcomes if outcome)


def section(found):
    """One table: a row for each figure, a column for each contestant."""
    names = [*found.ours, *found.peers]
    proportion = [f"{found.ours[0]} : {found.peers[0]}"] if found.ours and found.peers else []
    rows = []
    for figure in found.figures:
        values = [show(figure.values.get(name)) if name in figure.values else "" for name in names]
        share = [ratio(figure, found.ours[0], found.peers[0])] if proportion else []
        rows.append([f"{figure.what}, {figure.unit}" if figure.unit else figure.what, *values, *share, *goals(figure)])
    return render(["", *names, *proportion, "goal", "outcome"], rows)

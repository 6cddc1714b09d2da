"""The page that keeps the last full run."""

from datetime import datetime, timezone

from harness import machine, table, versions


def goal_counts(sections):
    """How many goals were met, and each that was not."""
    met, missed = 0, []
    for section in sections:
        for figure in section.figures:
            for name in figure.goals:
                outcome = figure.outcome(name)
                if outcome == "met":
                    met += 1
                elif outcome:
                    missed.append(f"{section.title.partition(':')[0]}: {figure.what}, {name}: {outcome}")
    return met, missed


def page(mode, measured, contestants, plot):
    """`measured`: (section, load) of each table, in order."""
    met, missed = goal_counts([section for section, _ in measured])
    peers = dict.fromkeys(f"{peer.name.partition(',')[0]} {peer.version}" for peer in contestants.peers)
    lines = [
        "# Ours and others, measured in one run",
        "",
        f"Written by `hack/bench.sh --{mode}` on {datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC. Contestants take turns, so",
        "that what else the machine does meets all of them; the load is said with each table. Times are of real processes on",
        "real servers on loopback. `-`: it never came to that.",
        "",
        f"- machine: {machine.describe()}",
        f"- ours: {versions.ours()}",
        f"- peers: {', '.join(peers)}",
        f"- servers: {', '.join(f'{name} {version}' for name, version in versions.servers().items())}",
        "",
        f"Goals: {met} met, {len(missed)} missed.",
        *(f"- missed: {one}" for one in missed),
        "",
        f"![every hand-off and take-over as a dot]({plot})",
    ]
    for section, load in measured:
        lines += ["", f"## {section.title}", "", table.section(section), "", f"{section.note} {load}.".strip()]
    return "\n".join(lines) + "\n"

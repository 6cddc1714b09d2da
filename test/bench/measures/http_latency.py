"""How long a small GET takes on a connection that is there, by each of ours, beside a bare socket to the same server."""

from harness.contestants import BEAST, CPPREST
from harness.figures import Figure
from harness.programs import benchmarks
from harness.report import section
from harness.statistics import median

NAME = "http-latency"
ROLES = ("http",)
FLOOR = "bare socket"
# What the program calls them: (plain, with TLS).
BENCHMARKS = {BEAST: ("Get/beast", "Get/beast_tls"), CPPREST: ("Get/cpprest", "Get/cpprest_tls"), FLOOR: ("BareSocket", None)}


def run(stage):
    took = {name: ([], []) for name in BENCHMARKS}
    for _ in stage.rounds(stage.effort(2, 5)):
        found = benchmarks(stage.contestants.our_program("http"), 0.2)
        for name, benchmark_names in BENCHMARKS.items():
            for values, benchmark in zip(took[name], benchmark_names):
                if benchmark in found:
                    values.append(found[benchmark]["real_time"] / 1000)
    figures = [Figure(what, "microseconds", {name: median(values[index]) for name, values in took.items() if values[index]})
               for index, what in enumerate(("GET", "GET over TLS"))]  # fmt: skip
    return [section("A request: latency on an open connection to a server on loopback", took, figures)]

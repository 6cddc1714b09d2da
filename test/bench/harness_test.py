#!/usr/bin/env python3
"""What the benchmarks compute with, and what a run of them promises: no speed, only arithmetic and parsing."""

import json
import os
import socket
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from harness import plot, table
from harness.cluster import per_minute, request_times, wall_ns
from harness.contestants import BEAST, CPPREST, load_peer, peers, required_version
from harness.figures import AtMost, Figure, Section, Share, show
from harness.process_cost import connections, memory_mib, processor_ns, threads
from harness.results import goal_counts
from harness.servers import read_exports
from harness.statistics import by_contestant, median, percentile


class StatisticsTest(unittest.TestCase):
    def test_a_percentile_is_a_value_that_was_measured(self):
        values = list(range(1, 101))
        self.assertEqual([percentile(values, share) for share in (0.5, 0.99, 1.0)], [50, 99, 100])

    def test_the_order_of_the_values_does_not_matter(self):
        self.assertEqual(percentile([3, 1, 2], 0.5), 2)

    def test_of_few_values_the_99th_percentile_is_the_largest(self):
        self.assertEqual(percentile([5, 9, 7], 0.99), 9)
        self.assertEqual(percentile([4], 0.99), 4)

    def test_no_values_have_no_percentile(self):
        self.assertRaises(ValueError, percentile, [], 0.5)
        self.assertEqual(by_contestant({"a": [2.0, 1.0, 3.0], "b": []}, median), {"a": 2.0})


class FiguresTest(unittest.TestCase):
    def figure(self, value, goal, peer=100.0):
        return Figure("p50", "ms", {BEAST: value, "client-go": peer}, {BEAST: goal})

    def test_a_goal_is_met_at_its_limit_and_missed_above_it(self):
        self.assertEqual(self.figure(15.0, AtMost(15)).outcome(BEAST), "met")
        self.assertEqual(self.figure(18.0, AtMost(15)).outcome(BEAST), "missed by 3.00 ms (20 %)")

    def test_a_goal_of_none_is_missed_without_a_share(self):
        self.assertEqual(self.figure(2, AtMost(0)).outcome(BEAST), "missed by 2 ms")

    def test_a_goal_may_be_a_share_of_what_a_peer_has_in_the_same_run(self):
        goal = Share("client-go", 1 / 50, "50 times quicker")
        self.assertEqual(self.figure(2.0, goal).outcome(BEAST), "met")
        self.assertEqual(self.figure(3.0, goal).outcome(BEAST), "missed by 1.00 ms (50 %)")

    def test_without_the_peer_there_is_nothing_to_hold_a_share_against(self):
        self.assertIsNone(self.figure(2.0, Share("client-go", 0.5, "half"), peer=None).outcome(BEAST))

    def test_what_never_happened_misses_its_goal(self):
        self.assertEqual(self.figure(None, AtMost(5)).outcome(BEAST), "missed: never")

    def test_numbers_are_as_precise_as_people_read_them(self):
        self.assertEqual([show(value) for value in (0, 7, 0.01234, 1.234, 12.34, 1234.5, None)],
                         ["0", "7", "0.0123", "1.23", "12.34", "1234", "-"])  # fmt: skip


def a_section():
    values = {BEAST: 3.0, CPPREST: 6.0, "client-go": 600.0}
    figures = [Figure("p50", "ms", values, {BEAST: AtMost(4), CPPREST: AtMost(4)}), Figure("threads", "", {BEAST: 3})]
    return Section("Graceful hand-off: SIGTERM", figures, [BEAST, CPPREST], ["client-go"],
                   samples={BEAST: [2.0, 3.0, 4.0], "client-go": [500.0, 600.0]})  # fmt: skip


class TableTest(unittest.TestCase):
    def test_a_row_has_the_figures_their_ratio_the_goal_and_the_outcome(self):
        header, ruler, row, threads_row = table.section(a_section()).splitlines()
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        self.assertEqual(cells[:-1], ["p50, ms", "3.00", "6.00", "600", "0.005", "at most 4 ms"])
        self.assertEqual(cells[-1], "met; missed by 2.00 ms (50 %)")
        self.assertIn(f"{BEAST} : client-go", header)
        self.assertEqual({len(header), len(ruler), len(row), len(threads_row)}, {len(header)})

    def test_every_goal_is_counted(self):
        met, missed = goal_counts([a_section()])
        self.assertEqual(met, 1)
        self.assertEqual(missed, [f"Graceful hand-off: p50, {CPPREST}: missed by 2.00 ms (50 %)"])


class PlotTest(unittest.TestCase):
    def test_every_trial_is_a_dot(self):
        drawing = ElementTree.fromstring(plot.draw([a_section()]))
        self.assertEqual(len(drawing.findall(".//{http://www.w3.org/2000/svg}circle")), 5)

    def test_axes_hold_every_value(self):
        for axis in (plot.LogAxis([0.4, 250]), plot.LinearAxis([14.98, 15.07]), plot.LinearAxis([3.0, 3.0])):
            self.assertLessEqual(0, axis.place(0.4 if isinstance(axis, plot.LogAxis) else axis.low))
            self.assertGreaterEqual(len(axis.ticks()), 2)
        self.assertLessEqual(plot.LogAxis([0.4, 250]).place(250), 1)
        self.assertLessEqual(plot.LinearAxis([14.98, 15.07]).place(15.07), 1)


class ParsingTest(unittest.TestCase):
    def entry(self, user="a", audit="1", resource="leases"):
        entry = {"user": {"username": user}, "auditID": audit, "objectRef": {"resource": resource}}
        return json.dumps(entry | {"requestReceivedTimestamp": f"1970-01-01T00:00:0{audit}.000000Z"}) + "\n"

    def test_a_request_that_is_told_of_twice_is_one(self):
        lines = [self.entry(), self.entry(), self.entry(audit="2"), self.entry(user="b"), self.entry(resource="events")]
        lines.append(self.entry(audit="3")[:-10])  # being written
        self.assertEqual(request_times(lines, "a"), [10**9, 2 * 10**9])

    def test_a_steady_pace_is_the_same_whenever_one_begins_to_look(self):
        every_two_seconds = [number * 2 * 10**9 for number in range(11)]
        self.assertEqual(per_minute(every_two_seconds, 20.1 / 60), 30)
        self.assertEqual(per_minute(every_two_seconds[:2], 0.5), 4)
        self.assertEqual(per_minute([], 0.5), 0)

    def test_a_wall_time_keeps_its_microseconds(self):
        self.assertEqual(wall_ns("1970-01-01T00:00:01.000002Z"), 1_000_002_000)
        self.assertEqual(wall_ns("2026-11-18T14:00:00.123456Z") % 10**9, 123_456_000)

    def test_exports_of_the_servers_are_read_as_a_shell_would(self):
        self.assertEqual(read_exports("export A=1\nexport B=a\\ b\nexport C='x=y'\n"), {"A": "1", "B": "a b", "C": "x=y"})

    def test_a_peer_is_a_manifest(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "go.mod").write_text("module m\n\nrequire (\n\texample.org/x v1.2.3\n)\n")
            manifest = Path(folder) / "peer.json"
            version = {"go.mod": "go.mod", "module": "example.org/x"}
            peer = {"name": "x", "version": version, "roles": {"candidate": {"build": ["b"]}}}
            manifest.write_text(json.dumps(peer))
            self.assertEqual(load_peer(manifest, Path(folder)).version, "v1.2.3")
            manifest.write_text(json.dumps(peer | {"rolls": {}}))
            self.assertRaises(ValueError, load_peer, manifest, Path(folder))
        self.assertRaises(ValueError, required_version, "module m\n", "example.org/x")

    def test_client_go_is_among_the_peers_and_first(self):
        self.assertEqual(peers()[0].name, "client-go")


class ProcessCostTest(unittest.TestCase):
    def test_a_process_is_read_from_outside(self):
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
            self.assertGreaterEqual(connections(os.getpid()), 2)
        rss, private = memory_mib(os.getpid())
        self.assertGreater(rss, private)
        self.assertGreaterEqual(threads(os.getpid()), 1)
        before = processor_ns(os.getpid())
        sum(range(100_000))
        self.assertGreater(processor_ns(os.getpid()), before)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))

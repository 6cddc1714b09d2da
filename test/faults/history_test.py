#!/usr/bin/env python3
"""The judge of all histories finds what is planted, and nothing in a history that is sound."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import history  # noqa: E402
from history import Span, judge  # noqa: E402

SECOND = 10**9


def span(candidate, number, first, last, released=False):
    return Span(candidate, number, int(first * SECOND), int(last * SECOND), released)


def said(*names):
    return [{"event": name} for name in names]


class HistoryTest(unittest.TestCase):
    def violations(self, spans, events=None, margin=0.0):
        return judge(spans, events, margin).violations

    def assert_finds(self, text, *arguments):
        found = self.violations(*arguments)
        self.assertTrue(any(text in violation for violation in found), found)

    def test_one_term_after_the_other_is_sound(self):
        spans = [span("a", 1, 0, 5), span("b", 2, 6, 9), span("a", 3, 11, 12)]
        events = {"a": said("boot", "started", "stopped", "started"), "b": said("started", "stopped", "exit")}
        verdict = judge(spans, events, margin=1.0)
        self.assertEqual(verdict.violations, [])
        self.assertEqual(verdict.terms, 3)
        self.assertEqual(verdict.shortest_gap, 1.0)

    def test_two_terms_at_one_time_are_found(self):
        self.assert_finds("term 1 of a and term 2 of b were both valid for 0.500 s", [span("a", 1, 0, 5), span("b", 2, 4.5, 9)])

    def test_an_overlap_with_a_term_before_the_last_is_found(self):
        spans = [span("a", 1, 0, 9), span("b", 2, 3, 4), span("c", 3, 5, 6)]
        self.assertEqual(len([found for found in self.violations(spans) if "both valid" in found]), 2)

    def test_two_terms_of_one_candidate_at_one_time_are_found(self):
        self.assert_finds("both valid", [span("a", 1, 0, 5), span("a", 2, 4, 9)])

    def test_a_number_that_falls_is_found(self):
        self.assert_finds("no higher number", [span("a", 2, 0, 5), span("b", 1, 7, 9)])

    def test_a_number_that_is_used_twice_is_found(self):
        self.assert_finds("no higher number", [span("a", 2, 0, 5), span("b", 2, 7, 9)])

    def test_a_take_over_within_the_margin_is_found_unless_the_term_was_released(self):
        self.assert_finds("0.900 s after", [span("a", 1, 0, 5), span("b", 2, 5.9, 9)], None, 1.0)
        self.assertEqual(self.violations([span("a", 1, 0, 5, released=True), span("b", 2, 5.1, 9)], None, 1.0), [])

    def test_a_candidate_may_take_up_its_own_leftover_at_once(self):
        self.assertEqual(self.violations([span("a", 1, 0, 5), span("a", 2, 5.1, 9)], None, 1.0), [])

    def test_a_history_without_a_leader_is_no_proof(self):
        self.assert_finds("nobody ever led", [])
        self.assert_finds("nobody ever led", [span("a", 1, 5, 5)])

    def test_events_that_do_not_alternate_are_found(self):
        sound = [span("a", 1, 0, 5)]
        for events in (said("stopped"), said("started", "started"), said("started", "stopped", "stopped")):
            self.assert_finds("does not alternate", sound, {"a": events})

    def test_a_term_that_was_given_up_is_known_by_the_exit_of_its_candidate(self):
        spans = [span("a", 1, 0, 1), span("a", 2, 3, 4)]
        marked = history.mark_released(spans, [{"event": "exit", "reason": "cancelled"}])
        self.assertEqual([one.released for one in marked], [False, True])
        self.assertEqual(history.mark_released(spans, [{"event": "exit", "reason": "lost"}]), spans)

    def test_a_log_of_validity_is_read_as_it_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            log.write_text(f"{7:020} {100:020} {900:020} {3:011}\n", encoding="ascii")
            self.assertEqual(history.read_spans(log, "a"), [Span("a", 7, 100, 900)])
            self.assertEqual(history.read_spans(Path(folder) / "none", "a"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

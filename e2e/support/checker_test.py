#!/usr/bin/env python3
"""A check that cannot fail checks nothing: each violation is planted here, and found."""

import sys
import unittest
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import checker  # noqa: E402
from evidence import Evidence, Term, parse_line, parse_terms, pod_of  # noqa: E402

S = 1_000_000_000
LONGEST = 6  # seconds without a leader


def lines_of(term, begin_ns, end_ns):
    """What a witness says that starts, writes all entries of its term, and is stopped."""
    base = {"identity": term.identity, "number": term.number}
    yield {**base, "event": "started", "boot_ns": begin_ns}
    for entry in range(term.first, term.last + 1):
        sent = term.first_sent_ns + (entry - term.first) * (term.last_sent_ns - term.first_sent_ns) // max(term.last - term.first, 1)
        yield {**base, "event": "acknowledged", "entry": entry, "sent_ns": sent, "boot_ns": sent + 1}
    yield {**base, "event": "stopped", "boot_ns": end_ns}


A = Term(100, "a_1_x", 1, 10, 1 * S, 9 * S)
B = Term(200, "b_1_y", 11, 20, 11 * S, 19 * S)
C = Term(300, "a_1_x", 21, 30, 21 * S, 29 * S)


def good():
    lines = [*lines_of(A, 1 * S - 5, 10 * S), *lines_of(B, 11 * S - 5, 20 * S), *lines_of(C, 21 * S - 5, 30 * S)]
    leases = [{"metadata": {"resourceVersion": str(term.number)}, "spec": {"holderIdentity": term.identity}} for term in (A, B, C)]
    return Evidence([A, B, C], lines, leases=leases)


class CheckerTest(unittest.TestCase):
    def assert_found(self, evidence, check, pattern):
        self.assertRegex("\n".join(check(evidence)), pattern)
        self.assertRegex("\n".join(checker.check(evidence, LONGEST)), pattern)

    def test_a_good_history_has_no_violation(self):
        self.assertEqual(checker.check(good(), LONGEST), [])
        self.assertEqual(checker.check(Evidence([], []), LONGEST), [])

    def test_a_falling_number_is_found(self):
        evidence = good()
        evidence.terms[2] = replace(C, number=150)
        self.assert_found(evidence, checker.check_numbers, "number fell: term 150 .* after term 200")

    def test_a_number_that_comes_twice_is_found(self):
        evidence = good()
        evidence.terms[2] = replace(C, number=200)
        self.assert_found(evidence, checker.check_numbers, "number fell")

    def test_a_term_that_wrote_nothing_counts_for_the_numbers_too(self):
        evidence = good()
        evidence.lines.append({"event": "started", "identity": "c_1_z", "number": 90, "boot_ns": 31 * S})
        self.assert_found(evidence, checker.check_numbers, "c_1_z started with 90 after 300")

    def test_entries_that_are_missing_in_the_log_are_found(self):
        evidence = good()
        evidence.terms[1] = replace(B, first=12)
        self.assert_found(evidence, checker.check_numbers, "entries 12 to 20, after entry 10")

    def test_a_writer_who_acts_after_the_next_has_started_is_found(self):
        evidence = good()
        evidence.lines.append({"event": "failed", "identity": "a_1_x", "number": 100, "sent_ns": 12 * S, "boot_ns": 12 * S, "why": ""})
        self.assert_found(evidence, checker.check_overlap, "two leaders at once for 1.000 s: a_1_x with 100, and b_1_y with 200")

    def test_a_writer_who_is_alive_when_the_next_starts_is_found_even_if_it_only_says_goodbye(self):
        evidence = good()
        for line in evidence.lines:
            if line["event"] == "stopped" and line["number"] == 100:
                line["boot_ns"] = 11 * S
        self.assert_found(evidence, checker.check_overlap, "two leaders at once")

    def test_an_overlap_is_found_though_another_term_lies_between(self):
        evidence = good()
        evidence.lines.append({"event": "failed", "identity": "a_1_x", "number": 100, "sent_ns": 22 * S, "boot_ns": 22 * S, "why": ""})
        self.assertEqual(len(checker.check_overlap(evidence)), 2)

    def test_an_excused_writer_may_act_late_but_not_write(self):
        evidence = good()
        evidence.excused = {("a_1_x", 100)}
        refused = {"event": "refused", "identity": "a_1_x", "number": 100, "stored": 200, "sent_ns": 12 * S, "boot_ns": 12 * S}
        evidence.lines.append(refused)
        self.assertEqual(checker.check(evidence, LONGEST), [])
        self.assertEqual(checker.summary(evidence)["excused_overlaps"], 1)
        self.assertEqual(checker.summary(evidence)["overlaps"], 0)
        evidence.terms[0] = replace(A, last_sent_ns=12 * S)
        self.assert_found(evidence, checker.check_order, "term 200 .* before the last entry of term 100")

    def test_a_lost_entry_is_found(self):
        evidence = good()
        evidence.terms[2] = replace(C, last=29)
        self.assert_found(evidence, checker.check_entries, "entry 30 was acknowledged to a_1_x with 300 and is lost")

    def test_an_entry_acknowledged_after_the_log_was_read_is_not_missed(self):
        evidence = good()
        later = {"event": "acknowledged", "identity": "a_1_x", "number": 300, "entry": 31, "sent_ns": 29 * S, "boot_ns": 30 * S}
        evidence.lines.append(later)
        evidence.read_ns = 30 * S - 1
        self.assertEqual(checker.check(evidence, LONGEST), [])
        evidence.read_ns = 30 * S
        self.assert_found(evidence, checker.check_entries, "entry 31 .* lost")

    def test_an_entry_that_another_wrote_over_is_found(self):
        evidence = good()
        evidence.terms[1] = replace(B, identity="c_1_z")
        self.assert_found(evidence, checker.check_entries, "entry 11 .* b_1_y .* lost")

    def test_an_entry_acknowledged_twice_is_found(self):
        evidence = good()
        evidence.lines.append(dict(evidence.lines[1]))
        self.assert_found(evidence, checker.check_entries, "entry 1 was acknowledged to a_1_x with 100 and to a_1_x")

    def test_a_pods_log_that_is_missing_is_found(self):
        evidence = good()
        evidence.lines = [line for line in evidence.lines if line["number"] != 200]
        self.assert_found(evidence, checker.check_told, "term 200 .* wrote 10 entries, but the pod's log tells of 0")

    def test_an_entry_that_was_written_just_before_a_kill_need_not_be_told(self):
        evidence = good()
        evidence.lines = [line for line in evidence.lines if line.get("entry") != 20]
        self.assertEqual(checker.check(evidence, LONGEST), [])
        evidence.lines = [line for line in evidence.lines if line.get("entry") != 19]
        self.assert_found(evidence, checker.check_told, "term 200")

    def test_a_refusal_without_reason_is_found(self):
        evidence = good()
        evidence.lines.append({"event": "refused", "identity": "a_1_x", "number": 300, "stored": 200, "sent_ns": 29 * S, "boot_ns": 29 * S})
        self.assert_found(evidence, checker.check_fence, "refused because of 200")

    def test_a_number_of_anothers_lease_is_found(self):
        evidence = good()
        evidence.leases[1]["spec"]["holderIdentity"] = "a_1_x"
        self.assert_found(evidence, checker.check_leases, "term 200 of b_1_y is that of a Lease held by a_1_x")

    def test_too_long_a_gap_is_found(self):
        evidence = good()
        self.assertEqual(checker.check_gaps(evidence, 2), [])
        self.assertRegex("\n".join(checker.check_gaps(evidence, 1.9)), "nobody led for 2.000 s, which is more than 1.9 s")
        self.assertRegex("\n".join(checker.check(evidence, 1.9)), "nobody led")

    def test_the_summary_counts(self):
        expected = {"terms": 3, "entries": 30, "acknowledged": 30, "refused": 0, "failed": 0, "longest_gap_s": 2.0}
        self.assertEqual(checker.summary(good()), expected | {"overlaps": 0, "excused_overlaps": 0})


class EvidenceTest(unittest.TestCase):
    def test_terms_are_read_from_the_config_map(self):
        line = '{"first":1,"first_sent_ns":5,"identity":"a","last":2,"last_sent_ns":6,"number":7}\n'
        self.assertEqual(parse_terms({"data": {"terms": line}}), [Term(7, "a", 1, 2, 5, 6)])
        self.assertEqual(parse_terms({}), [])

    def test_lines_of_others_are_passed_over(self):
        self.assertIsNone(parse_line("leader-elector: hello"))
        self.assertIsNone(parse_line('{"level":"info","event":"x"}'))
        self.assertIsNone(parse_line("7"))
        self.assertEqual(parse_line('{"event":"started","identity":"a","number":1,"boot_ns":2}')["number"], 1)

    def test_a_pod_is_known_by_its_identity(self):
        self.assertEqual(pod_of("leader-elector-5d9-x2_1_ab"), "leader-elector-5d9-x2")


if __name__ == "__main__":
    unittest.main()

"""Judges what a case has left behind. Each check is a function from Evidence to a list of violations, in words; an empty list
is what we want. checker_test.py shows that each can fail.

An excused term, a pair of identity and number, is one whose work was frozen together with all that could have ended it, or whose
elector is client-go's: no lock keeps those from acting late, and the fence is what is left. Of them, only what the log took is
judged."""

from dataclasses import dataclass

from evidence import Evidence

SECOND = 1e9


def check_numbers(evidence: Evidence):
    """Numbers rise with every term, and entries are numbered without a gap."""
    violations = []
    entry = 0
    number = 0
    for term in evidence.terms:
        if term.number <= number:
            violations.append(f"the number fell: {term} came after term {number}")
        if term.first != entry + 1 or term.last < term.first:
            violations.append(f"{term} has the entries {term.first} to {term.last}, after entry {entry}")
        entry, number = term.last, max(number, term.number)
    return violations + _check_numbers_of_starts(evidence)


def _check_numbers_of_starts(evidence):
    starts = sorted((line for line in evidence.lines if line["event"] == "started"), key=lambda line: line["boot_ns"])
    return [f"the number fell: {after['identity']} started with {after['number']} after {before['number']}"
            for before, after in zip(starts, starts[1:]) if after["number"] <= before["number"]]  # fmt: skip


def check_order(evidence: Evidence):
    """What the log took of one term was sent before anything of the next: for this, nobody is excused."""
    return [f"{after} wrote {seconds(before.last_sent_ns - after.first_sent_ns)} before the last entry of {before} was sent"
            for before, after in zip(evidence.terms, evidence.terms[1:]) if after.first_sent_ns <= before.last_sent_ns]  # fmt: skip


@dataclass
class Life:
    """From the first to the last sign that somebody acted as the leader of a term."""

    identity: str
    number: int
    begin: int
    end: int

    @property
    def term(self):
        return (self.identity, self.number)

    def __str__(self):
        return f"{self.identity} with {self.number}"


def lives(evidence: Evidence):
    found = {}
    for line in evidence.lines:
        stamps = [line["boot_ns"], line.get("sent_ns", line["boot_ns"])]
        _lengthen(found, line["identity"], line["number"], stamps)
    for term in evidence.terms:
        _lengthen(found, term.identity, term.number, [term.first_sent_ns, term.last_sent_ns])
    return sorted(found.values(), key=lambda life: life.begin)


def _lengthen(found, identity, number, stamps):
    life = found.setdefault((identity, number), Life(identity, number, min(stamps), max(stamps)))
    life.begin, life.end = min(life.begin, *stamps), max(life.end, *stamps)


def overlaps(evidence: Evidence, excused):
    """Pairs of lives of which the second began before the first had ended: those of which one is excused, or the others."""
    ordered = lives(evidence)
    return [(first, second) for place, first in enumerate(ordered) for second in ordered[place + 1 :]
            if second.begin <= first.end and bool({first.term, second.term} & evidence.excused) == excused]  # fmt: skip


def check_overlap(evidence: Evidence):
    return [f"two leaders at once for {seconds(min(first.end, second.end) - second.begin)}: {first}, and {second}"
            for first, second in overlaps(evidence, excused=False)]  # fmt: skip


def check_entries(evidence: Evidence):
    """Every acknowledged entry is in the log, in the term that was told so, and was acknowledged once."""
    by_number = {term.number: term for term in evidence.terms}
    told = {}
    violations = []
    for line in evidence.lines:
        if line["event"] != "acknowledged" or line["boot_ns"] > evidence.read_ns:
            continue
        who, entry = f"{line['identity']} with {line['number']}", line["entry"]
        term = by_number.get(line["number"])
        if term is None or term.identity != line["identity"] or not term.first <= entry <= term.last:
            violations.append(f"entry {entry} was acknowledged to {who} and is lost")
        if entry in told:
            violations.append(f"entry {entry} was acknowledged to {told[entry]} and to {who}")
        told[entry] = who
    return violations


def check_told(evidence: Evidence):
    """The pods' logs are all there: whoever wrote told of it, but for what failed and the one entry before it was killed."""
    violations = []
    for term in evidence.terms:
        said = [line["event"] for line in evidence.lines if (line["identity"], line["number"]) == (term.identity, term.number)]
        missing = term.last - term.first + 1 - said.count("acknowledged") - said.count("failed")
        if "started" not in said or missing > 1:
            violations.append(f"{term} wrote {term.last - term.first + 1} entries, but the pod's log tells of {said.count('acknowledged')}")
    return violations


def check_fence(evidence: Evidence):
    """Who was refused had a smaller number than the log."""
    return [f"{line['identity']} with {line['number']} was refused because of {line['stored']}"
            for line in evidence.lines if line["event"] == "refused" and line["stored"] <= line["number"]]  # fmt: skip


def check_leases(evidence: Evidence):
    """A term's number is the version of a Lease that names its holder."""
    holders = {int(lease["metadata"]["resourceVersion"]): (lease.get("spec") or {}).get("holderIdentity") for lease in evidence.leases}
    return [f"{term} is that of a Lease held by {holders[term.number]}"
            for term in evidence.terms if term.number in holders and holders[term.number] != term.identity]  # fmt: skip


def gaps(evidence: Evidence):
    """How long nobody wrote between one term and the next, as (nanoseconds, before, after)."""
    return [(after.first_sent_ns - before.last_sent_ns, before, after) for before, after in zip(evidence.terms, evidence.terms[1:])]


def check_gaps(evidence: Evidence, longest):
    """`longest` in seconds."""
    return [f"nobody led for {seconds(gap)}, which is more than {longest} s, between {before} and {after}"
            for gap, before, after in gaps(evidence) if gap > longest * SECOND]  # fmt: skip


CHECKS = [check_numbers, check_order, check_overlap, check_entries, check_told, check_fence, check_leases]


def check(evidence: Evidence, longest_gap):
    violations = [violation for one in CHECKS for violation in one(evidence)]
    return violations + check_gaps(evidence, longest_gap)


def seconds(nanoseconds):
    return f"{nanoseconds / SECOND:.3f} s"


def summary(evidence: Evidence):
    """What happened, in numbers."""
    count = {name: sum(line["event"] == name for line in evidence.lines) for name in ("acknowledged", "refused", "failed")}
    longest = max((gap for gap, _, _ in gaps(evidence)), default=0)
    return {
        "terms": len(evidence.terms),
        "entries": evidence.terms[-1].last if evidence.terms else 0,
        **count,
        "longest_gap_s": round(longest / SECOND, 3),
        "overlaps": len(overlaps(evidence, excused=False)),
        "excused_overlaps": len(overlaps(evidence, excused=True)),
    }

#include "simulation/oracles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulation/process.h"

namespace leaderelection::simulation {

namespace {

// Requests that may follow one another ahead of the pace, as the election allows itself.
constexpr double kHurry = 4;

}  // namespace

void Oracles::Violate(std::string_view oracle, std::string text) {
  world_.journal.Note(world_.now(), "ORACLE", oracle, [&] { return text; });
  violations_.push_back({oracle, world_.now(), std::move(text)});
  if (!tolerant_) world_.Stop();
}

void Oracles::OnBorn(Process& process) { alive_.push_back(&process); }

void Oracles::OnDead(const Process& process) {
  CloseOverlaps();
  std::erase(alive_, &process);
}

void Oracles::AfterStep(Process& process, bool led_before) {
  if (!overlaps_.empty()) CloseOverlaps();
  if (!process.Leads()) return;
  // Rule 1: once found over, for ever over. Who leads after a step led before it, or began a term in it.
  if (!led_before && !std::exchange(process.term_is_new, false)) {
    Violate("revival", process.name() + " leads again in a term that was over");
  }
  process.term_is_new = false;
  for (Process* other : alive_) {
    if (other != &process && other->Leads()) OnOverlap(process, *other);
  }
}

void Oracles::OnOverlap(Process& one, Process& other) {
  for (const Overlap& known : overlaps_) {
    if ((known.one == &one && known.other == &other) || (known.one == &other && known.other == &one)) return;
  }
  const bool excused = losses_.Excuse(one.term(), other.term());
  overlaps_.push_back({&one, &other, world_.now(), excused});
  if (excused) {
    ++tally_.excused_overlaps;
    world_.journal.Note(world_.now(), "ORACLE", "excused overlap");
    return;
  }
  ++tally_.overlaps;
  Violate("overlap", one.name() + " and " + other.name() + " lead at the same time");
}

// An overlap ends unnoticed between two steps; it is closed at the next, which is at most an instant late for a count.
void Oracles::CloseOverlaps() {
  std::erase_if(overlaps_, [this](const Overlap& overlap) {
    if (overlap.one->Leads() && overlap.other->Leads()) return false;
    if (!overlap.excused) tally_.overlap_time += world_.now() - overlap.since;
    return true;
  });
}

void Oracles::OnTermStarted(Process& process, std::uint64_t number) {
  world_.journal.Note(world_.now(), process.name(), "TERM STARTS", [&] { return "number " + std::to_string(number); });
  ++tally_.terms;
  if (process.id() != last_leader_) ++tally_.hand_offs;
  last_leader_ = process.id();
  last_start_ = world_.now();
  if (std::exchange(process.told_of_term, true))
    Violate("alternation", process.name() + " starts a term inside a term");
  process.term_is_new = true;
  if (process.work_running()) Violate("again", process.name() + " starts a term while earlier work runs");
  const Entry* acquired = store_.Find(process.id(), number);
  if (acquired == nullptr || acquired->stored.record.acquire_time != acquired->stored.record.renew_time) {
    Violate("number", process.name() + " starts a term by number " + std::to_string(number) + ", no acquiring write's");
  } else if (number <= last_number_ && !losses_.ExcusesOrder(last_term_) && !losses_.ExcusesOrder(acquired->term)) {
    Violate("number", process.name() + " starts a term by number " + std::to_string(number) + " after " +
                          std::to_string(last_number_));
  }
  last_number_ = number;
  last_term_ = process.term();
}

void Oracles::OnTermEnded(Process& process) {
  world_.journal.Note(world_.now(), process.name(), "TERM ENDS");
  if (!std::exchange(process.told_of_term, false)) Violate("alternation", process.name() + " ends a term twice");
  if (process.Leads()) Violate("alternation", process.name() + " says that its term has ended, and still leads");
}

void Oracles::OnWorkMustStop(const Process& process) {
  world_.journal.Note(world_.now(), process.name(), "work must stop");
  if (!process.told_of_term) Violate("alternation", process.name() + " stops work outside a term");
}

void Oracles::OnRequest(Process& process, const Record* record) {
  ++tally_.requests;
  CheckBudget(process);
  if (record == nullptr || !record->holder_identity.empty()) return;
  // Rule 9.
  if (process.work_running()) Violate("release", process.name() + " releases while its work runs");
  if (process.Leads()) Violate("release", process.name() + " releases while its term is valid");
}

void Oracles::CheckBudget(Process& process) {
  const std::int64_t minute = std::chrono::duration_cast<std::chrono::minutes>(world_.now()).count();
  if (std::exchange(process.minute, minute) != minute) process.requests_in_minute = 0;
  ++process.requests;
  const double paces =
      60e3 * process.clock().rate() / (0.8 * static_cast<double>(process.settings().retry_period.count()));
  if (static_cast<double>(++process.requests_in_minute) <= kHurry * (std::ceil(paces) + 1)) return;
  Violate("budget", process.name() + " sends more than " + std::to_string(process.requests_in_minute - 1) +
                        " requests in a minute");
}

void Oracles::OnChange(std::size_t number, const Knowledge& author_knew) {
  const Entry& entry = store_.history()[number];
  const Record& record = entry.stored.record;
  world_.journal.Note(world_.now(), "store", entry.deleted ? "deleted" : "holds",
                      [&] { return std::to_string(entry.stored.version.order) + " '" + record.holder_identity + "'"; });
  if (entry.stored.version.order <= order_to_pass_) losses_.OnHistoryLost(number + 1);
  const bool held = !record.holder_identity.empty();
  const Entry* before = number > 0 ? &store_.history()[number - 1] : nullptr;
  if (entry.author == kOutsider) {
    const bool shortened =
        !entry.deleted && before != nullptr && record.lease_duration < before->stored.record.lease_duration;
    if (!held || entry.expired || !(entry.deleted || shortened) || losses_.pending()) return;
    // Whoever saw the deleted holder at all has to wait him out; who saw only an edited record was lied to. Where the
    // store forgets records by itself, absence is how a term ends, and only who saw the last word knows better.
    const bool waited_out = entry.deleted && !entry.stored.expires_in;
    losses_.OnRecordLost(number, waited_out ? entry.term : before->last_word);
    for (Process* process : alive_) process->knowledge.newest_before_loss = process->knowledge.newest;
    return;
  }
  if (held && entry.term == number) losses_.OnAcquired(author_knew);
  if (held || entry.deleted) return;
  if (before == nullptr || before->deleted || before->stored.record.holder_identity.empty()) {
    return Violate("foreign-release", "a record that nobody held was released");
  }
  if (store_.history()[before->term].author != entry.author) {
    Violate("foreign-release", "process " + std::to_string(entry.author) + " released what another held");
  }
}

void Oracles::OnTold(Process& process, std::ptrdiff_t entry) { process.knowledge.Learn(entry, losses_.pending()); }

void Oracles::OnRolledBack(std::uint64_t highest_order) {
  order_to_pass_ = std::max(order_to_pass_, highest_order);
  losses_.OnHistoryLost(store_.history().size());
}

void Oracles::OnFencedWrite(std::size_t term, bool taken) {
  ++(taken ? tally_.writes : tally_.refused_writes);
  if (!taken) return;
  if (term < newest_term_written_ && !losses_.ExcusesNumber(term)) {
    Violate("stale-write", "the register took a write of an earlier term after one of a later");
  }
  newest_term_written_ = std::max(newest_term_written_, term);
}

void Oracles::OnUnfencedWrite(const Process& process) {
  if (process.term() >= last_term_ || losses_.Excuse(process.term(), last_term_)) return;
  Violate("unfenced-write", process.name() + " acts although a later term has begun");
}

}  // namespace leaderelection::simulation

#include "model/action.h"

#include <algorithm>

#include "core/announcement.h"

namespace leaderelection::model {

namespace {

using Kind = Action::Kind;

// The order of Election's own; only these are told apart here.
constexpr Number kIdle = 0;

class Choices {
 public:
  explicit Choices(std::vector<Action>& found) : found_(found) {}
  void Offer(bool possible, Kind kind, int seat = 0, std::size_t which = 0) {
    if (possible) found_.push_back({kind, static_cast<std::uint8_t>(seat), static_cast<std::uint8_t>(which)});
  }

 private:
  std::vector<Action>& found_;
};

bool EverybodyKnowsTheHolder(const State& state, const Shape& shape) {
  if (state.present == 0) return false;
  const Number holder = state.records[static_cast<std::size_t>(state.record)].holder;
  for (int seat = 0; seat < shape.candidates; ++seat) {
    const Candidate& candidate = state.candidates[static_cast<std::size_t>(seat)];
    const bool holds = IdentityOf(seat, candidate.generation) == holder;
    if (candidate.alive == 0 || (candidate.told == 0 && !holds)) return false;
  }
  return true;
}

void OfferExchanges(const State& state, int seat, Choices& choices) {
  const Candidate& candidate = state.candidates[static_cast<std::size_t>(seat)];
  const Budget& budget = state.budget;
  for (std::size_t which = 0; which < kExchanges; ++which) {
    const Exchange& exchange = candidate.exchanges[which];
    const bool asked = exchange.stage == Exchange::kAsked;
    choices.Offer(asked, Kind::kCarryOut, seat, which);
    choices.Offer(exchange.stage == Exchange::kAnswered, Kind::kAnswer, seat, which);
    const bool heard = asked && exchange.request != 0;
    choices.Offer(heard && budget.errors > 0, Kind::kErrorBefore, seat, which);
    const bool writes = asked && exchange.verb != static_cast<Number>(Verb::kGet);
    choices.Offer(heard && writes && budget.errors > 0, Kind::kErrorAfter, seat, which);
    choices.Offer(writes && budget.duplicates > 0, Kind::kDuplicate, seat, which);
    const bool updates = asked && exchange.verb == static_cast<Number>(Verb::kUpdate);
    choices.Offer(heard && updates && budget.stale_acks > 0, Kind::kStaleAck, seat, which);
  }
}

void OfferCandidate(const State& state, int seat, Choices& choices) {
  const Candidate& candidate = state.candidates[static_cast<std::size_t>(seat)];
  const Budget& budget = state.budget;
  OfferExchanges(state, seat, choices);
  choices.Offer(candidate.alive == 0, Kind::kRestart, seat);
  if (candidate.alive == 0) return;
  choices.Offer(candidate.wake_at <= 0, Kind::kWake, seat);
  for (std::size_t which = 0; which < kNews; ++which) {
    choices.Offer(candidate.news[which].kind != News::kFree, Kind::kTell, seat, which);
  }
  const bool over = candidate.in_term == 0 || candidate.ending != 0;
  choices.Offer(candidate.work == Candidate::kDue, Kind::kWorkBegins, seat);
  choices.Offer(candidate.work == Candidate::kRunning && over, Kind::kWorkReturns, seat);
  const bool stands = candidate.election.phase != kIdle;
  choices.Offer(!stands, Kind::kStandAgain, seat);
  choices.Offer(stands && budget.resignations > 0, Kind::kStop, seat);
  choices.Offer(candidate.in_term != 0 && budget.resignations > 0, Kind::kStepDown, seat);
  choices.Offer(budget.crashes > 0 && candidate.generation + 1 < kGenerations, Kind::kCrash, seat);
}

std::string What(const Exchange& exchange, const State& state) {
  if (exchange.verb == static_cast<Number>(Verb::kGet)) return "read";
  if (exchange.stage == Exchange::kAnswered || exchange.record == kNone) return "write";
  const RecordValue& record = state.records[static_cast<std::size_t>(exchange.record)];
  if (record.holder == kNone) return "release";
  return record.acquire_time == record.renew_time ? "acquiring write" : "renewal";
}

std::string WhatCame(const Exchange& exchange, const State& state) {
  if (exchange.code != kNone) return std::string(ToString(static_cast<ErrorCode>(exchange.code)));
  const RecordValue& record = state.records[static_cast<std::size_t>(exchange.record)];
  return record.holder == kNone ? "released" : "held by " + NameOf(record.holder);
}

}  // namespace

int Late(const State& state, const Shape& shape) {
  return static_cast<int>(std::count_if(
      state.candidates.begin(), state.candidates.begin() + shape.candidates,
      [](const Candidate& one) { return one.alive != 0 && (one.wake_at <= 0 || one.work == Candidate::kDue); }));
}

std::vector<Action> Possible(const State& state, const Shape& shape) {
  std::vector<Action> found;
  found.reserve(16);
  Choices choices(found);
  choices.Offer(Late(state, shape) <= state.budget.pauses, Kind::kTick);
  for (int seat = 0; seat < shape.candidates; ++seat) OfferCandidate(state, seat, choices);
  choices.Offer(state.budget.deletions > 0 && EverybodyKnowsTheHolder(state, shape), Kind::kDelete);
  choices.Offer(state.budget.relabels > 0 && state.present != 0, Kind::kRelabel);
  return found;
}

std::string Describe(const Action& action, const State& state, const std::string& name) {
  const Candidate& candidate = state.candidates[action.seat];
  const Exchange& exchange = candidate.exchanges[action.which];
  switch (action.kind) {
    case Kind::kTick:
      return "a tick passes";
    case Kind::kWake:
      return name + " does what is due";
    case Kind::kCarryOut:
      return name + "'s " + What(exchange, state) + " is carried out";
    case Kind::kAnswer:
      return name + " gets the answer to its " + What(exchange, state) + ": " + WhatCame(exchange, state);
    case Kind::kTell:
      return name + "'s watch tells of " +
             (candidate.news[action.which].kind == News::kDeleted ? "a deletion" : "a change");
    case Kind::kWorkBegins:
      return name + "'s work begins";
    case Kind::kWorkReturns:
      return name + "'s work returns";
    case Kind::kStandAgain:
      return name + " stands again";
    case Kind::kErrorBefore:
      return name + "'s " + What(exchange, state) + " fails, and a server error is on its way back";
    case Kind::kErrorAfter:
      return name + "'s " + What(exchange, state) + " is carried out, and a server error is on its way back";
    case Kind::kDuplicate:
      return name + "'s " + What(exchange, state) + " is doubled on its way";
    case Kind::kStaleAck:
      return name + "'s " + What(exchange, state) + " is not carried out, but acknowledged by the old version";
    case Kind::kCrash:
      return name + " crashes";
    case Kind::kRestart:
      return name + " is started anew";
    case Kind::kDelete:
      return "an outsider deletes the record";
    case Kind::kRelabel:
      return "an outsider labels the record";
    case Kind::kStop:
      return name + " is asked to stop, with a release";
    case Kind::kStepDown:
      return name + " is asked to step down, with a release";
  }
  return "";
}

}  // namespace leaderelection::model

#include "model/world.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "model/canonical.h"

namespace leaderelection::model {

namespace {

Candidate& At(State& state, int seat) { return state.candidates[static_cast<std::size_t>(seat)]; }
RecordValue& RecordAt(State& state, Number record) { return state.records[static_cast<std::size_t>(record)]; }

bool IsRead(const Exchange& exchange) { return exchange.verb == static_cast<Number>(Verb::kGet); }
bool IsFree(const Exchange& exchange) { return exchange.stage == Exchange::kFree; }
bool IsFree(const News& news) { return news.kind == News::kFree; }

// The oldest gives way where there is no room.
template <class Slots, class Slot>
void Push(Slots& slots, int room, const Slot& slot) {
  auto free = std::find_if(slots.begin(), slots.end(), [](const Slot& used) { return IsFree(used); });
  if (free - slots.begin() >= room) free = std::move(slots.begin() + 1, free, slots.begin());
  *free = slot;
}

template <class Slots>
void Remove(Slots& slots, std::size_t which) {
  std::move(slots.begin() + static_cast<std::ptrdiff_t>(which) + 1, slots.end(),
            slots.begin() + static_cast<std::ptrdiff_t>(which));
  slots.back() = {};
}

bool IsOfOneTerm(const RecordValue& one, const RecordValue& other) {
  return one.holder == other.holder && one.author == other.author && one.acquire_time == other.acquire_time;
}

void Refuse(Exchange& exchange, ErrorCode code) {
  exchange.stage = Exchange::kAnswered;
  exchange.code = static_cast<Number>(code);
  exchange.record = kNone;
  exchange.order = 0;
}

}  // namespace

World::World(const Shape& shape, bool restoring) : shape_(shape), restoring_(restoring) {
  for (auto& clock : clocks_) clock = std::make_shared<ManualClock>();
  for (int identity = 0; identity < shape.candidates * kGenerations; ++identity) {
    const auto seat = static_cast<std::size_t>(SeatOf(identity));
    memories_.push_back(
        std::make_unique<ElectionMemory>(shape.Settings(identity), identity, clocks_[seat], shape.tick[seat]));
    State nothing;
    memories_.back()->Save(nothing, newborn_.emplace_back());
  }
}

ElectionMemory& World::MemoryOf(const State& state, int seat) const {
  const Number generation = state.candidates[static_cast<std::size_t>(seat)].generation;
  return *memories_[static_cast<std::size_t>(IdentityOf(seat, generation))];
}

State World::Start() {
  State state;
  state.budget = shape_.budget;
  for (int seat = 0; seat < shape_.candidates; ++seat) {
    Live(state, seat);
  }
  return state;
}

void World::Blame(const State& state, int seat, const std::string& what) {
  if (!broken_)
    broken_ = NameOf(IdentityOf(seat, state.candidates[static_cast<std::size_t>(seat)].generation)) + " " + what;
}

std::optional<std::string> World::Apply(State& state, const Action& action) {
  broken_.reset();
  requests_ = 0;
  const int seat = action.seat;
  Candidate& candidate = At(state, seat);
  Exchange& exchange = candidate.exchanges[action.which];
  switch (action.kind) {
    case Action::kTick:
      Tick(state);
      break;
    case Action::kWake:
      Happen(state, seat, [](Election& e, Instant at) { return e.HandleTime(at); });
      break;
    case Action::kCarryOut:
      CarryOut(state, seat, exchange);
      if (shape_.reads_are_atomic && exchange.stage == Exchange::kAnswered && IsRead(exchange)) {
        Answer(state, seat, action.which);
      }
      break;
    case Action::kAnswer:
      Answer(state, seat, action.which);
      break;
    case Action::kTell:
      Tell(state, seat, action.which);
      break;
    case Action::kWorkBegins:
      StartWork(state, seat);
      break;
    case Action::kWorkReturns:
      candidate.work = Candidate::kIdle;
      Happen(state, seat, [](Election& e, Instant at) { return e.WorkReturned(at); });
      break;
    case Action::kStandAgain:
      Happen(state, seat, [](Election& e, Instant at) { return e.Stand(at, Election::Role::kCandidate); });
      break;
    case Action::kErrorBefore:
      --state.budget.errors;
      Refuse(exchange, ErrorCode::kUnknown);
      break;
    case Action::kErrorAfter:
      --state.budget.errors;
      CarryOut(state, seat, exchange);
      Refuse(exchange, ErrorCode::kUnknown);
      break;
    case Action::kDuplicate:
      --state.budget.duplicates;
      Push(candidate.exchanges, shape_.exchanges, Exchange(exchange));
      break;
    case Action::kStaleAck:
      --state.budget.stale_acks;
      exchange.stage = Exchange::kAnswered;
      break;
    case Action::kCrash:
      Crash(state, seat);
      break;
    case Action::kRestart:
      ++candidate.generation;
      Live(state, seat);
      break;
    case Action::kDelete:
      --state.budget.deletions;
      Change(state, News::kDeleted);
      break;
    case Action::kRelabel:
      --state.budget.relabels;
      Change(state, News::kChanged);
      break;
    case Action::kStop:
      Resign(state, seat, Election::Resignation::kStop);
      break;
    case Action::kStepDown:
      Resign(state, seat, Election::Resignation::kStepDown);
      break;
  }
  DropUnused(state, shape_);
  return broken_;
}

void World::Tick(State& state) {
  state.budget.pauses -= Late(state, shape_);
  for (int seat = 0; seat < shape_.candidates; ++seat) {
    const auto pass = [](Number& time) {
      if (time != kNoTime && time != kSealed) --time;
    };
    ForEachDeadline(At(state, seat), pass);
    ForEachInstant(At(state, seat), pass);
    if (!restoring_) clocks_[static_cast<std::size_t>(seat)]->now += shape_.tick[static_cast<std::size_t>(seat)];
  }
}

void World::Happen(State& state, int seat, const Event& event) {
  Candidate& candidate = At(state, seat);
  ElectionMemory& memory = MemoryOf(state, seat);
  if (restoring_) memory.Restore(state, candidate.election);
  const bool led = candidate.leads();
  const bool was_in_term = candidate.in_term != 0;
  Output output = event(memory.election(), memory.At());
  memory.Save(state, candidate.election);
  candidate.wake_at = memory.ToTicks(output.wake_at);
  for (const Announcement& announcement : output.announcements) Hear(state, seat, announcement);
  // Rule 1: who leads after a step led before it, or began a term in it.
  if (candidate.leads() && !led && was_in_term) Blame(state, seat, "leads again in a term that was over");
  if (candidate.leads() && candidate.in_term == 0) Blame(state, seat, "leads without a term");
  for (int other = 0; other < shape_.candidates; ++other) {
    if (other == seat || !candidate.leads() || !At(state, other).leads()) continue;
    Blame(state, seat, "leads while " + NameOf(IdentityOf(other, At(state, other).generation)) + " leads");
  }
  if (output.request) Ask(state, seat, *output.request);
}

void World::Hear(State& state, int seat, const Announcement& announcement) {
  Candidate& candidate = At(state, seat);
  if (const auto* started = std::get_if<announce::TermStarted>(&announcement)) {
    Begin(state, seat, *started);
  } else if (std::holds_alternative<announce::WorkMustStop>(announcement)) {
    if (candidate.in_term == 0) Blame(state, seat, "is asked to stop work outside a term");
    candidate.ending = 1;
  } else if (std::holds_alternative<announce::TermEnded>(announcement)) {
    if (candidate.in_term == 0) Blame(state, seat, "ends a term twice");
    if (candidate.leads()) Blame(state, seat, "says that its term has ended, and still leads");
    candidate.in_term = 0;
  }
  const bool over = candidate.in_term == 0 || candidate.ending != 0;
  // The elector does not begin the work of a term that is ending by then.
  if (over && candidate.work == Candidate::kDue) candidate.work = Candidate::kIdle;
}

void World::Begin(State& state, int seat, const announce::TermStarted& started) {
  Candidate& candidate = At(state, seat);
  if (candidate.in_term != 0) Blame(state, seat, "starts a term inside a term");
  if (candidate.work == Candidate::kRunning) Blame(state, seat, "starts a term while earlier work runs");
  candidate.in_term = 1;
  candidate.ending = 0;
  candidate.work = Candidate::kDue;
  // Rule 10. A fenced register takes the writes of a term if its number is the highest: so it takes none of an earlier.
  const auto number = static_cast<Number>(started.number);
  if (number <= state.last_number) Blame(state, seat, "starts a term by a number that is not the highest");
  state.last_number = number;
  if (state.present == 0 || candidate.election.held == kNone) return;
  const bool stored = IsOfOneTerm(RecordAt(state, state.record), RecordAt(state, candidate.election.held));
  if (stored && number != state.term_order)
    Blame(state, seat, "starts a term by another number than its first write's");
}

void World::Ask(State& state, int seat, const Request& request) {
  ++requests_;
  Candidate& candidate = At(state, seat);
  Exchange exchange;
  exchange.stage = Exchange::kAsked;
  exchange.request = static_cast<Number>(request.id / 2);
  exchange.verb = static_cast<Number>(request.verb);
  if (request.verb != Verb::kGet) {
    exchange.record = MemoryOf(state, seat).Intern(state, request.record);
    exchange.order = static_cast<Number>(request.expected.order);
    // Rule 9.
    const bool releases = request.record.holder_identity.empty();
    if (releases && candidate.work == Candidate::kRunning) Blame(state, seat, "releases while its work runs");
    if (releases && candidate.leads()) Blame(state, seat, "releases while its term is valid");
  }
  Push(candidate.exchanges, shape_.exchanges, exchange);
}

void World::CarryOut(State& state, int seat, Exchange& exchange) {
  const auto verb = static_cast<Verb>(exchange.verb);
  if (verb == Verb::kCreate && state.present != 0) {
    Refuse(exchange, ErrorCode::kAlreadyExists);
  } else if (verb != Verb::kCreate && state.present == 0) {
    Refuse(exchange, ErrorCode::kNotFound);
  } else if (verb == Verb::kUpdate && exchange.order != state.version) {
    Refuse(exchange, ErrorCode::kConflict);
  } else {
    if (verb != Verb::kGet) {
      const Number holder = state.present != 0 ? RecordAt(state, state.record).holder : kNone;
      const RecordValue& record = RecordAt(state, exchange.record);
      if (record.holder == kNone && record.author != holder) Blame(state, seat, "releases what it does not hold");
      Write(state, exchange);
    }
    exchange.stage = Exchange::kAnswered;
    exchange.record = state.record;
    exchange.order = state.version;
  }
  // Nobody waits for it any more.
  if (exchange.request != 0) return;
  Candidate& candidate = At(state, seat);
  Remove(candidate.exchanges, static_cast<std::size_t>(&exchange - candidate.exchanges.data()));
}

void World::Write(State& state, Exchange& exchange) {
  const RecordValue& record = RecordAt(state, exchange.record);
  const bool goes_on = state.present != 0 && IsOfOneTerm(RecordAt(state, state.record), record);
  state.record = exchange.record;
  state.present = 1;
  Change(state, News::kChanged);
  if (goes_on) return;
  state.term_order = state.version;
  for (Candidate& candidate : state.candidates) candidate.told = 0;
}

// The present record has another version, or there is none any more. The watches will tell.
void World::Change(State& state, News::Kind kind) {
  News news;
  news.kind = kind;
  news.order = ++state.order;
  news.record = state.record;
  if (kind == News::kDeleted) {
    state.present = 0;
    news.record = state.record = kNone;
    state.version = state.term_order = 0;
  } else {
    state.version = state.order;
  }
  for (Candidate& candidate : state.candidates) {
    if (candidate.alive != 0 && shape_.news > 0) Push(candidate.news, shape_.news, news);
  }
}

// The candidate is shown a record: perhaps one of the present holder's term.
void World::Show(State& state, Candidate& candidate, Number record) const {
  if (state.present == 0 || record == kNone) return;
  if (IsOfOneTerm(RecordAt(state, state.record), RecordAt(state, record))) candidate.told = 1;
}

void World::Answer(State& state, int seat, std::size_t which) {
  Candidate& candidate = At(state, seat);
  const Exchange exchange = candidate.exchanges[which];
  Remove(candidate.exchanges, which);
  const bool read = IsRead(exchange);
  // An answer to a write that comes too late is not looked at.
  const bool awaited = candidate.election.asks != 0 && candidate.election.request == exchange.request;
  if (exchange.code == kNone && (read || (awaited && candidate.election.deadline > 0)))
    Show(state, candidate, exchange.record);
  const std::uint64_t id = static_cast<std::uint64_t>(exchange.request) * 2 + (read ? 1 : 0);
  const Result<Stored> reply = exchange.code != kNone
                                   ? Result<Stored>(static_cast<ErrorCode>(exchange.code), "")
                                   : Stored{MemoryOf(state, seat).ToRecord(RecordAt(state, exchange.record)),
                                            Version{static_cast<std::uint64_t>(exchange.order), nullptr}, std::nullopt};
  Happen(state, seat, [&](Election& e, Instant at) { return e.HandleReply(at, id, reply); });
}

void World::Tell(State& state, int seat, std::size_t which) {
  Candidate& candidate = At(state, seat);
  const News news = candidate.news[which];
  for (std::size_t told = 0; told <= which; ++told) Remove(candidate.news, 0);
  WatchEvent event;
  event.kind = news.kind == News::kDeleted ? WatchEvent::Kind::kDeleted : WatchEvent::Kind::kChanged;
  event.stored.version.order = static_cast<std::uint64_t>(news.order);
  if (news.record != kNone) {
    event.stored.record = MemoryOf(state, seat).ToRecord(RecordAt(state, news.record));
    Show(state, candidate, news.record);
  }
  Happen(state, seat, [&](Election& e, Instant at) { return e.HandleEvent(at, event); });
}

void World::StartWork(State& state, int seat) {
  At(state, seat).work = Candidate::kRunning;
  Happen(state, seat, [](Election& e, Instant at) { return e.WorkStarted(at); });
}

void World::Resign(State& state, int seat, Election::Resignation how) {
  --state.budget.resignations;
  Happen(state, seat, [how](Election& e, Instant at) { return e.Resign(at, how, true); });
}

void World::Crash(State& state, int seat) {
  --state.budget.crashes;
  Candidate dead;
  dead.generation = At(state, seat).generation;
  for (Exchange exchange : At(state, seat).exchanges) {
    exchange.request = 0;
    if (exchange.stage == Exchange::kAsked) Push(dead.exchanges, kExchanges, exchange);
  }
  At(state, seat) = dead;
  for (RecordValue& record : state.records) record.sent_by &= ~(1 << seat);
}

void World::Live(State& state, int seat) {
  Candidate& candidate = At(state, seat);
  candidate.alive = 1;
  candidate.election = newborn_[static_cast<std::size_t>(IdentityOf(seat, candidate.generation))];
  Happen(state, seat, [](Election& e, Instant at) { return e.Stand(at, Election::Role::kCandidate); });
}

}  // namespace leaderelection::model

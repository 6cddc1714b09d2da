#include "model/memory.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace leaderelection {

using model::ElectionImage;
using model::Number;
using model::RecordValue;
using model::State;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

// The wall clocks of two identities are so far apart that a time tells whose it is.
constexpr std::chrono::seconds kApart{2000};
constexpr std::chrono::seconds kOrdinaryDay{1'750'000'000};
constexpr milliseconds kQuarter{250};
constexpr std::chrono::seconds kForgotten{20};  // longer than anything of the past counts

WallTime WallOf(int identity) { return WallTime(kOrdinaryDay + identity * kApart); }
int AuthorOf(WallTime time) { return static_cast<int>((time - WallTime(kOrdinaryDay)) / kApart); }
Number Since(WallTime time, int author) { return static_cast<Number>((time - WallOf(author)).count()); }

std::string HolderName(Number identity) { return identity == model::kNone ? "" : model::NameOf(identity); }

Number HolderOf(const std::string& name) {
  if (name.empty()) return model::kNone;
  return model::IdentityOf(name[0] - 'a', static_cast<Number>(name.size()) - 1);
}

}  // namespace

ElectionMemory::ElectionMemory(ElectionSettings settings, int identity, std::shared_ptr<ManualClock> clock,
                               milliseconds tick)
    : identity_(identity),
      clock_(std::move(clock)),
      tick_(tick),
      wall_(WallOf(identity)),
      validity_([this] {
        // Its words count from when it was made, and what it is given later may lie in the past.
        clock_->now -= std::chrono::minutes(10);
        auto validity = std::make_shared<Validity>(clock_);
        clock_->now += std::chrono::minutes(10);
        return validity;
      }()),
      election_(std::move(settings), validity_) {}

Number ElectionMemory::ToTicks(MonotonicTime time) const {
  if (time == kNever) return model::kNoTime;
  time = std::max(time, clock_->now - kForgotten);
  const auto ahead = time - clock_->now;
  const auto ticks = ahead / tick_;
  return static_cast<Number>(ticks + (ahead > ticks * tick_ ? 1 : 0));
}

MonotonicTime ElectionMemory::FromTicks(Number ticks) const {
  return ticks == model::kNoTime ? kNever : clock_->now + ticks * tick_;
}

Record ElectionMemory::ToRecord(const RecordValue& value) const {
  return {.holder_identity = HolderName(value.holder),
          .lease_duration = value.quarters * kQuarter,
          .acquire_time = WallOf(value.author) + microseconds(value.acquire_time),
          .renew_time = WallOf(value.author) + microseconds(value.renew_time),
          .transitions = value.transitions,
          .metadata = {}};
}

Number ElectionMemory::Intern(State& state, const Record& record) const {
  RecordValue value;
  value.holder = HolderOf(record.holder_identity);
  value.author = AuthorOf(record.renew_time);
  value.quarters = static_cast<Number>(record.lease_duration / kQuarter);
  value.acquire_time = Since(record.acquire_time, value.author);
  value.renew_time = Since(record.renew_time, value.author);
  value.transitions = static_cast<Number>(record.transitions);
  for (Number index = 0; index < state.records_used; ++index) {
    if (state.records[static_cast<std::size_t>(index)].Equals(value)) return index;
  }
  if (state.records_used == model::kRecords) throw std::logic_error("more records than a state has room for");
  state.records[static_cast<std::size_t>(state.records_used)] = value;
  return state.records_used++;
}

void ElectionMemory::Restore(const State& state, const ElectionImage& image) {
  Election& e = election_;
  e.phase_ = static_cast<Election::Phase>(image.phase);
  e.role_ = image.role == model::kNone ? std::nullopt : std::optional(static_cast<Election::Role>(image.role));
  e.term_running_ = image.term_running != 0;
  e.work_running_ = image.work_running != 0;
  e.number_ = static_cast<std::uint64_t>(image.number);
  e.held_ = image.held == model::kNone ? Record() : ToRecord(state.records[static_cast<std::size_t>(image.held)]);
  e.renewed_at_ = FromTicks(image.renewed_at);
  e.renew_at_ = FromTicks(image.renew_at);
  e.release_until_ = FromTicks(image.release_until);
  e.drain_until_ = FromTicks(image.drain_until);
  e.overrun_at_ = FromTicks(image.overrun_at);
  e.release_wanted_ = image.release_wanted != 0;
  e.resignation_ = static_cast<Election::Resignation>(image.resignation);
  e.barred_until_ = FromTicks(image.barred_until);
  RestoreSent(state, image);
  e.read_needed_ = image.read_needed != 0;
  e.look_wanted_ = image.look_wanted != 0;
  e.watch_live_ = image.watch_live != 0;
  e.last_news_ = FromTicks(image.last_news);
  e.poll_at_ = FromTicks(image.poll_at);
  e.spread_until_ = FromTicks(image.spread_until);
  e.paced_until_ = FromTicks(image.paced_until);
  e.hurry_left_ = image.hurry_left;
  RestoreParts(state, image);
}

void ElectionMemory::RestoreSent(const State& state, const ElectionImage& image) {
  Election& e = election_;
  // All that matters of a count is whether it has gone on since.
  e.observed_.news_ = 1;
  e.requests_ = static_cast<std::uint64_t>(image.request);
  e.in_flight_.reset();
  if (image.asks == 0) return;
  Election::Sent sent;
  sent.request.verb = static_cast<Verb>(image.verb);
  sent.request.id = static_cast<std::uint64_t>(image.request) * 2 + (sent.request.verb == Verb::kGet ? 1 : 0);
  sent.request.deadline = FromTicks(image.deadline);
  if (image.asked_record != model::kNone) {
    sent.request.record = ToRecord(state.records[static_cast<std::size_t>(image.asked_record)]);
  }
  sent.request.expected.order = static_cast<std::uint64_t>(image.expected);
  sent.purpose = static_cast<Election::Purpose>(image.purpose);
  sent.at = FromTicks(image.asked_at);
  sent.mark = {static_cast<std::uint64_t>(image.mark_order), image.overtaken != 0 ? 0U : 1U};
  e.in_flight_ = std::move(sent);
}

void ElectionMemory::RestoreParts(const State& state, const ElectionImage& image) {
  Observation& observed = election_.observed_;
  observed.presence_ = static_cast<Observation::Presence>(image.presence);
  observed.known_ = Stored();
  if (image.known != model::kNone) {
    observed.known_.record = ToRecord(state.records[static_cast<std::size_t>(image.known)]);
  }
  observed.known_.version.order = static_cast<std::uint64_t>(image.known_order);
  observed.order_ = static_cast<std::uint64_t>(image.order);
  observed.seen_.reset();
  if (image.seen != model::kNone) observed.seen_ = ToRecord(state.records[static_cast<std::size_t>(image.seen)]);
  observed.not_before_ = FromTicks(image.not_before);

  auto& last_written = election_.author_.last_written_;
  last_written.reset();
  if (image.written_time != model::kNone) {
    last_written = Instant{FromTicks(image.written_at), wall_ + microseconds(image.written_time)};
  }

  SentRecords& ours = election_.ours_;
  ours.records_.clear();
  ours.acknowledged_.reset();
  for (Number index = 0; index < state.records_used; ++index) {
    const RecordValue& value = state.records[static_cast<std::size_t>(index)];
    if ((value.sent_by & (1 << model::SeatOf(identity_))) != 0) ours.records_.push_back(ToRecord(value));
  }

  validity_->word_ = image.valid_until == model::kSealed ? std::uint64_t{1} << Validity::kDeadlineBits
                                                         : std::uint64_t{1} << Validity::kDeadlineBits |
                                                               validity_->ToMilliseconds(FromTicks(image.valid_until));
}

void ElectionMemory::Save(State& state, ElectionImage& image) const {
  const Election& e = election_;
  if (e.trying_ || e.observed_.server_expires_) throw std::logic_error("the model knows nothing of this");
  image.phase = static_cast<Number>(e.phase_);
  image.role = e.role_ ? static_cast<Number>(*e.role_) : model::kNone;
  image.term_running = e.term_running_ ? 1 : 0;
  image.work_running = e.work_running_ ? 1 : 0;
  image.number = static_cast<Number>(e.number_);
  image.held = e.held_ == Record() ? model::kNone : Intern(state, e.held_);
  image.renewed_at = ToTicks(e.renewed_at_);
  image.renew_at = ToTicks(e.renew_at_);
  image.release_until = ToTicks(e.release_until_);
  image.drain_until = ToTicks(e.drain_until_);
  image.overrun_at = ToTicks(e.overrun_at_);
  image.release_wanted = e.release_wanted_ ? 1 : 0;
  image.resignation = static_cast<Number>(e.resignation_);
  image.barred_until = ToTicks(e.barred_until_);
  SaveSent(state, image);
  image.read_needed = e.read_needed_ ? 1 : 0;
  image.look_wanted = e.look_wanted_ ? 1 : 0;
  image.watch_live = e.watch_live_ ? 1 : 0;
  image.last_news = ToTicks(e.last_news_);
  image.poll_at = ToTicks(e.poll_at_);
  image.spread_until = ToTicks(e.spread_until_);
  image.paced_until = ToTicks(e.paced_until_);
  image.hurry_left = e.hurry_left_;
  SaveParts(state, image);
}

void ElectionMemory::SaveSent(State& state, ElectionImage& image) const {
  const Election& e = election_;
  image.request = static_cast<Number>(e.requests_);
  image.asks = e.in_flight_ ? 1 : 0;
  const Election::Sent sent = e.in_flight_.value_or(Election::Sent());
  image.purpose = static_cast<Number>(sent.purpose);
  image.verb = static_cast<Number>(sent.request.verb);
  image.asked_at = e.in_flight_ ? ToTicks(sent.at) : 0;
  image.deadline = e.in_flight_ ? ToTicks(sent.request.deadline) : 0;
  const bool writes = e.in_flight_ && sent.request.verb != Verb::kGet;
  image.asked_record = writes ? Intern(state, sent.request.record) : model::kNone;
  image.expected = static_cast<Number>(sent.request.expected.order);
  image.mark_order = static_cast<Number>(sent.mark.order);
  image.overtaken = e.in_flight_ && sent.mark.news != e.observed_.news_ ? 1 : 0;
}

void ElectionMemory::SaveParts(State& state, ElectionImage& image) const {
  const Observation& observed = election_.observed_;
  const bool present = observed.presence_ == Observation::Presence::kPresent;
  image.presence = static_cast<Number>(observed.presence_);
  image.known = present ? Intern(state, observed.known_.record) : model::kNone;
  image.known_order = present ? static_cast<Number>(observed.known_.version.order) : 0;
  image.order = static_cast<Number>(observed.order_);
  image.seen = observed.seen_ ? Intern(state, *observed.seen_) : model::kNone;
  image.not_before = ToTicks(observed.not_before_);

  const auto& last_written = election_.author_.last_written_;
  image.written_at = last_written ? ToTicks(last_written->now) : 0;
  image.written_time = last_written ? Since(last_written->wall, identity_) : model::kNone;

  const Number bit = 1 << model::SeatOf(identity_);
  for (Number index = 0; index < state.records_used; ++index) {
    RecordValue& value = state.records[static_cast<std::size_t>(index)];
    // Nobody else's times look like ours.
    const bool ours = value.author == identity_ && election_.ours_.Contains(ToRecord(value));
    value.sent_by = ours ? value.sent_by | bit : value.sent_by & ~bit;
  }

  const std::uint64_t word = validity_->word_;
  image.valid_until = (word & Validity::kDeadlineMask) == 0 ? model::kSealed : ToTicks(validity_->DeadlineOf(word));
}

}  // namespace leaderelection

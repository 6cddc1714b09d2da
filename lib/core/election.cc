#include "core/election.h"

#include <utility>

namespace leaderelection {

using std::chrono::milliseconds;
using News = Observation::News;

namespace {

// Requests that may follow one another at once before the pace of retry_period holds again: enough for
// write, conflict, read, write, and one more round; too few for a storm.
constexpr int kHurry = 4;

// The last bit of a request's id tells a read, so that its answer is known for one even when nobody waits for it.
constexpr std::uint64_t MakeId(std::uint64_t number, Verb verb) { return number * 2 + (verb == Verb::kGet ? 1 : 0); }
constexpr bool IsRead(std::uint64_t id) { return id % 2 == 1; }

}  // namespace

Election::Election(ElectionSettings settings, std::shared_ptr<Validity> validity)
    : settings_(std::move(settings)),
      validity_(std::move(validity)),
      random_(settings_.seed),
      author_(settings_.identity, settings_.lease_duration, settings_.storable),
      observed_(settings_.lease_duration, ours_) {}

// Rule 1: whatever the event, the end of the term is looked at first; a late one finds it over.
Output Election::Handle(Instant at, const std::function<void()>& event) {
  output_ = Output();
  CheckDeadlines(at);
  event();
  StartTermIfDue(at);
  Decide(at);
  return std::move(output_);
}

Output Election::Stand(Instant at, Role role) {
  return Handle(at, [&] {
    role_ = role;
    if (phase_ != Phase::kIdle) return;
    phase_ = Phase::kFollowing;
    read_needed_ = true;
    Pace(at.now);
  });
}

Output Election::Try(Instant at) {
  return Handle(at, [&] {
    trying_ = true;
    try_until_ = at.now + 2 * (AttemptDeadline(at.now) - at.now);
    phase_ = Phase::kFollowing;
    read_needed_ = true;
    Pace(at.now);
  });
}

Output Election::Resign(Instant at, Resignation how, bool release) {
  return Handle(at, [&] {
    if (how == Resignation::kStop) resignation_ = how;
    switch (phase_) {
      case Phase::kIdle:
        return Rest();
      case Phase::kFollowing:
        if (how == Resignation::kStepDown) return;
        if (trying_) return EndAttempt(at, Error{ErrorCode::kUnknown, "stopped", std::nullopt});
        if (!release || !in_flight_ || in_flight_->purpose != Purpose::kAcquire) return Rest();
        // The acquiring write may land yet: see it through and give back what it got.
        phase_ = Phase::kReleasing;
        release_until_ = in_flight_->at + settings_.renew_deadline;
        return;
      case Phase::kHolding:
        resignation_ = how;
        release_wanted_ = release;
        if (!term_running_) return BeginRelease(at, release);
        output_.announcements.push_back(announce::WorkMustStop{});
        phase_ = Phase::kDraining;
        drain_until_ = at.now + settings_.drain_timeout;
        if (!work_running_) BeginRelease(at, release);
        return;
      case Phase::kDraining:
        release_wanted_ = release_wanted_ || release;
        return;
      case Phase::kReleasing:
        return;
    }
  });
}

Output Election::WorkStarted(Instant at) {
  return Handle(at, [&] {
    work_running_ = true;
    // It begins too late, in a term that was lost meanwhile.
    if (!term_running_) overrun_at_ = renewed_at_ + settings_.lease_duration;
  });
}

// Rule 9: only once the work has returned is the term sealed, and only then does the release go out.
Output Election::WorkReturned(Instant at) {
  return Handle(at, [&] {
    work_running_ = false;
    overrun_at_ = kNever;
    if (phase_ == Phase::kDraining) BeginRelease(at, release_wanted_);
  });
}

Output Election::HandleTime(Instant at) {
  return Handle(at, [] {});
}

Output Election::HandleReply(Instant at, std::uint64_t request_id, Result<Stored> reply) {
  return Handle(at, [&] {
    // Rule 1: an answer after its deadline, or after the term it was for, neither revives nor starts a term.
    if (!in_flight_ || in_flight_->request.id != request_id) {
      // What a read saw is news all the same, though a write was not held up for it.
      if (IsRead(request_id) && reply.ok()) OnNews(at, observed_.OnEvent(at.now, reply.value()));
      return;
    }
    const Sent sent = *std::exchange(in_flight_, std::nullopt);
    if (sent.purpose == Purpose::kRead) return OnRead(at, sent, std::move(reply));
    if (reply.ok()) return OnWritten(at, sent, reply.value());
    OnWriteFailed(at, sent, reply.error());
  });
}

Output Election::HandleEvent(Instant at, const WatchEvent& event) {
  return Handle(at, [&] {
    const bool about_the_record = event.kind == WatchEvent::Kind::kChanged || event.kind == WatchEvent::Kind::kDeleted;
    if (phase_ == Phase::kIdle && !about_the_record) return;
    last_news_ = at.now;
    switch (event.kind) {
      case WatchEvent::Kind::kLive:
        watch_live_ = true;
        look_wanted_ = true;
        return;
      case WatchEvent::Kind::kChanged:
        return OnNews(at, observed_.OnEvent(at.now, event.stored));
      case WatchEvent::Kind::kDeleted:
        return OnNews(at, observed_.OnDeleted(at.now, event.stored.version.order));
      case WatchEvent::Kind::kLost:
      case WatchEvent::Kind::kRefused:
        watch_live_ = false;
        poll_at_ = std::min(poll_at_, at.now + Jittered(settings_.retry_period));
        return;
    }
  });
}

void Election::CheckDeadlines(Instant at) {
  if (IsHolder() && at.now >= TermDeadline()) Lose(at, EndReason::kExpired);
  if (phase_ == Phase::kDraining && at.now >= drain_until_) {
    validity_->Seal();
    LetAnotherGoFirst(at);
    overrun_at_ = renewed_at_ + settings_.lease_duration;
    FinishRelease(EndReason::kDrainTimeout);
  }
  if (phase_ == Phase::kReleasing && at.now >= release_until_) FinishRelease(EndReason::kLeft);
  if (in_flight_ && at.now >= in_flight_->request.deadline) {
    const Sent sent = *std::exchange(in_flight_, std::nullopt);
    const Error error{ErrorCode::kTimeout, "no answer in time", std::nullopt};
    sent.purpose == Purpose::kRead ? OnRead(at, sent, error) : OnWriteFailed(at, sent, error);
  }
  if (trying_ && at.now >= try_until_) EndAttempt(at, Error{ErrorCode::kTimeout, "no answer in time", std::nullopt});
  if (work_running_ && at.now >= overrun_at_) {
    overrun_at_ = kNever;
    output_.announcements.push_back(announce::Overrun{});
  }
}

void Election::OnRead(Instant at, const Sent& sent, Result<Stored> reply) {
  const bool absent = !reply.ok() && reply.error().code == ErrorCode::kNotFound;
  if (reply.ok() || absent) {
    output_.announcements.push_back(announce::Answered{});
    const bool was_needed = std::exchange(read_needed_, false);
    look_wanted_ = false;
    last_news_ = at.now;
    poll_at_ = at.now + Jittered(settings_.retry_period);
    const News news =
        absent ? observed_.OnReadAbsent(at.now, sent.mark) : observed_.OnRead(at.now, sent.mark, reply.value());
    OnNews(at, news);
    // What came while it rested was told nobody, and is no news to the first read after it.
    if (was_needed && news == News::kNone && observed_.Known() != nullptr) {
      output_.announcements.push_back(announce::RecordChanged{observed_.Known()->record});
    }
    // Exactly our own record, by whatever version: written again at once with that version.
    if (IsHolder()) {
      output_.announcements.push_back(announce::SlowPath{});
      renew_at_ = at.now;
    }
    return;
  }
  const Error& error = reply.error();
  output_.announcements.push_back(announce::RequestFailed{Verb::kGet, error});
  if (error.code == ErrorCode::kCorrupt) {
    observed_.OnUnreadable();
    read_needed_ = true;
    if (IsHolder()) return Lose(at, EndReason::kRecordGone);
  }
  if (trying_) return EndAttempt(at, error);
  Heed(at, error);
}

void Election::OnWritten(Instant at, const Sent& sent, const Stored& stored) {
  // Rule 3: an acknowledgement counts only if the version rose and the record is the one that was sent.
  if (stored.version.order <= sent.mark.order || stored.record != sent.request.record) {
    return OnWriteFailed(
        at, sent, Error{ErrorCode::kUnknown, "the answer does not show the record as it was written", std::nullopt});
  }
  output_.announcements.push_back(announce::Answered{});
  const bool newest = observed_.OnAcknowledged(at.now, stored);
  if (newest) output_.announcements.push_back(announce::RecordChanged{stored.record});
  if (sent.purpose == Purpose::kRelease) return FinishRelease(EndReason::kReleased);
  // Rule 6: news of a rival or of absence overtook the acknowledgement, and was acted on when it came.
  if (!newest) return;
  if (phase_ != Phase::kReleasing) BecomeHolder(at, sent, stored.version.order);
}

// Rule 7: after anything but a definite no, and after a conflict, a fresh read decides.
void Election::OnWriteFailed(Instant at, const Sent& sent, const Error& error) {
  output_.announcements.push_back(announce::RequestFailed{sent.request.verb, error});
  switch (error.code) {
    case ErrorCode::kDenied:
    case ErrorCode::kInvalid:
    case ErrorCode::kThrottled:
    case ErrorCode::kHeld:
      if (trying_) return EndAttempt(at, error);
      if (phase_ == Phase::kReleasing) return FinishRelease(EndReason::kLeft);
      Heed(at, error);
      renew_at_ = at.now;
      return;
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
      output_.announcements.push_back(announce::Answered{});
      break;
    case ErrorCode::kCorrupt:
    case ErrorCode::kTimeout:
    case ErrorCode::kUnknown:
      break;
  }
  read_needed_ = true;
}

void Election::OnNews(Instant at, News news) {
  // Late news of a candidacy that is over is remembered for the next one, and told nobody.
  if (phase_ == Phase::kIdle) return;
  switch (news) {
    case News::kNone:
      return;
    case News::kReadAgain:
      read_needed_ = true;
      return;
    case News::kRecord:
      return OnRecord(at, observed_.Known()->record);
    case News::kAbsence:
      // Rule 11: a leader that finds its record absent ends its term; it never re-creates inside it.
      output_.announcements.push_back(announce::RecordChanged{std::nullopt});
      if (IsHolder()) Lose(at, EndReason::kRecordGone);
      return;
    case News::kWentBack:
      output_.announcements.push_back(announce::RecordChanged{observed_.Known()->record});
      if (IsHolder()) Lose(at, EndReason::kWentBack);
      return;
  }
}

void Election::OnRecord(Instant at, const Record& record) {
  output_.announcements.push_back(announce::RecordChanged{record});
  if (record.holder_identity.empty()) {
    spread_until_ = at.now + Jittered(settings_.release_spread, 0.0);
  } else if (!ours_.Contains(record)) {
    barred_until_ = MonotonicTime::min();
    if (record.holder_identity == settings_.identity) output_.announcements.push_back(announce::NamesakeSeen{});
  }
  // Rule 6: the first sight of anything but our own record ends the term at once.
  if (IsHolder() && !HoldsThis(record)) Lose(at, EndReason::kRival);
}

bool Election::HoldsThis(const Record& record) const {
  return !record.holder_identity.empty() && record.acquire_time == held_.acquire_time && ours_.Contains(record);
}

void Election::BecomeHolder(Instant at, const Sent& sent, std::uint64_t number) {
  held_ = sent.request.record;
  ours_.Acknowledge(held_);
  // Rule 1: the term counts from before the write was sent.
  renewed_at_ = sent.at;
  renew_at_ = sent.at + settings_.renew_interval;
  paced_until_ = MonotonicTime::min();
  if (sent.purpose == Purpose::kAcquire) {
    phase_ = Phase::kHolding;
    number_ = number;
  }
  if (at.now >= TermDeadline()) return Lose(at, EndReason::kExpired);
  if (!term_running_) return;
  if (!validity_->Extend(TermDeadline())) return Lose(at, EndReason::kExpired);
  output_.announcements.push_back(announce::Renewed{at.now - sent.at, TermDeadline()});
}

// Rule 2: late news may have come while the acquiring write was under way. Then we hold the record, and renew it, but
// the term starts only when the wait is over.
void Election::StartTermIfDue(Instant at) {
  if (phase_ != Phase::kHolding || term_running_ || at.now < observed_.NotBefore()) return;
  term_running_ = true;
  trying_ = false;
  output_.announcements.push_back(announce::TermStarted{number_, validity_->Begin(TermDeadline()), TermDeadline()});
}

// Rule 9: sealed first, then released; whatever becomes of the release, the term is over.
void Election::BeginRelease(Instant at, bool release) {
  validity_->Seal();
  LetAnotherGoFirst(at);
  phase_ = Phase::kReleasing;
  release_until_ = TermDeadline();
  if (!release) FinishRelease(EndReason::kLeft);
}

void Election::FinishRelease(EndReason reason) {
  in_flight_.reset();
  const bool led = std::exchange(term_running_, false);
  if (led) output_.announcements.push_back(announce::TermEnded{reason});
  if (resignation_ == Resignation::kStop || !role_ || (led && role_ == Role::kOneTerm)) return Rest();
  phase_ = Phase::kFollowing;
  read_needed_ = true;
}

// Rule 11: after a step-down another one goes first. It counts from before the release is sent, so that who takes over
// is noticed also if that is seen before the release is acknowledged.
void Election::LetAnotherGoFirst(Instant at) { barred_until_ = at.now + settings_.lease_duration; }

void Election::Lose(Instant at, EndReason reason) {
  validity_->Seal();
  const bool resigning = phase_ == Phase::kDraining;
  if (resigning) LetAnotherGoFirst(at);
  // What is under way was for this term.
  in_flight_.reset();
  read_needed_ = true;
  phase_ = Phase::kFollowing;
  if (work_running_) overrun_at_ = renewed_at_ + settings_.lease_duration;
  if (!std::exchange(term_running_, false)) return;
  output_.announcements.push_back(announce::TermEnded{reason});
  poll_at_ = at.now;
  if ((resigning && resignation_ == Resignation::kStop) || !role_ || role_ == Role::kOneTerm) Rest();
}

void Election::EndAttempt(Instant at, Error error) {
  trying_ = false;
  output_.announcements.push_back(announce::AttemptOver{std::move(error)});
  if (!IsHolder()) return Rest();
  resignation_ = Resignation::kStop;
  BeginRelease(at, true);
}

void Election::Rest() {
  phase_ = Phase::kIdle;
  barred_until_ = MonotonicTime::min();
  role_.reset();
  resignation_ = Resignation::kStepDown;
  in_flight_.reset();
  watch_live_ = false;
  output_.announcements.push_back(announce::Idle{});
}

void Election::Decide(Instant at) {
  if (work_running_) WakeAt(overrun_at_);
  if (trying_) WakeAt(try_until_);
  switch (phase_) {
    case Phase::kIdle:
      break;
    case Phase::kFollowing:
      DecideFollowing(at);
      break;
    case Phase::kHolding:
    case Phase::kDraining:
      DecideHolding(at);
      break;
    case Phase::kReleasing:
      DecideReleasing(at);
      break;
  }
  if (in_flight_) WakeAt(in_flight_->request.deadline);
}

void Election::DecideHolding(Instant at) {
  WakeAt(TermDeadline());
  if (!term_running_) WakeAt(observed_.NotBefore());
  if (phase_ == Phase::kDraining) WakeAt(drain_until_);
  if (in_flight_) return;
  if (!read_needed_ && at.now < renew_at_) return WakeAt(renew_at_);
  if (!MaySend(at.now)) return WakeAt(paced_until_);
  read_needed_ ? Read(at) : Renew(at);
}

void Election::DecideReleasing(Instant at) {
  WakeAt(release_until_);
  if (in_flight_) return;
  const Stored* known = observed_.Known();
  // Rule 9: nobody but the holder writes an empty holder, and only over his own record. Rule 2: nor does a holder whose
  // own wait is not over, for his release would end everybody's.
  const bool ours = known != nullptr && ours_.Contains(known->record);
  const bool released = ours && known->record.holder_identity.empty();
  if (!read_needed_ && (!ours || released || at.now < observed_.NotBefore())) {
    FinishRelease(released ? EndReason::kReleased : EndReason::kLeft);
    return Decide(at);
  }
  if (!MaySend(at.now)) return WakeAt(paced_until_);
  read_needed_ ? Read(at) : Release(at);
}

void Election::DecideFollowing(Instant at) {
  if (in_flight_ && in_flight_->purpose != Purpose::kRead) return;
  // Rule 11: who has lost a term stands again only once its work has returned.
  const bool stands = IsCandidate() && !work_running_;
  if (stands && observed_.IsKnown() && !read_needed_) {
    const MonotonicTime spread_until = trying_ ? MonotonicTime::min() : spread_until_;
    const MonotonicTime take_at = std::max({observed_.NotBefore(), spread_until, barred_until_});
    if (at.now < take_at) {
      if (trying_) return EndAttempt(at, Held(take_at - at.now));
      WakeAt(take_at);
    } else if (MaySend(at.now)) {
      return Acquire(at);
    } else {
      WakeAt(paced_until_);
    }
  }
  if (in_flight_) return;
  // The watch tells what there is to know; a read is due where it is broken, or silent for too long.
  const auto silence = watch_live_ ? observed_.HolderDuration() / 2 : milliseconds(0);
  const MonotonicTime look_at = std::max(poll_at_, last_news_ + silence);
  const bool due = read_needed_ || look_wanted_ || at.now >= look_at;
  if (!due) return WakeAt(look_at);
  if (!MaySend(at.now)) return WakeAt(paced_until_);
  Read(at);
}

bool Election::MaySend(MonotonicTime now) {
  if (now >= paced_until_) hurry_left_ = kHurry;
  if (hurry_left_ == 0) return false;
  --hurry_left_;
  return true;
}

// No hurry after a failure, and the backend's wish is honoured; a wish beyond lease_duration is a mistake, or a way to
// keep us out for good.
void Election::Heed(Instant at, const Error& error) {
  hurry_left_ = 0;
  const milliseconds wish = error.retry_after.value_or(milliseconds(0));
  paced_until_ = std::max(paced_until_, at.now + std::min(wish, settings_.lease_duration));
}

void Election::Pace(MonotonicTime until) {
  paced_until_ = until;
  poll_at_ = until;
  spread_until_ = MonotonicTime::min();
}

// One attempt does not eat the term: a request into a black hole leaves time for two more.
MonotonicTime Election::AttemptDeadline(MonotonicTime now) const {
  const MonotonicTime deadline = now + std::max<milliseconds>(std::chrono::seconds(1), settings_.renew_deadline / 3);
  if (IsHolder()) return std::min(deadline, TermDeadline());
  return phase_ == Phase::kReleasing ? std::min(deadline, release_until_) : deadline;
}

void Election::Read(Instant at) { Send(at, Purpose::kRead, Verb::kGet, Record()); }

void Election::Acquire(Instant at) {
  const Stored* known = observed_.Known();
  const auto replaced = known != nullptr ? std::optional<Record>(known->record) : std::nullopt;
  Send(at, Purpose::kAcquire, known != nullptr ? Verb::kUpdate : Verb::kCreate, author_.Acquire(at, replaced));
}

void Election::Renew(Instant at) { Send(at, Purpose::kRenew, Verb::kUpdate, author_.Renew(at, held_)); }

void Election::Release(Instant at) {
  Send(at, Purpose::kRelease, Verb::kUpdate, author_.Release(at, observed_.Known()->record));
}

void Election::Send(Instant at, Purpose purpose, Verb verb, Record record) {
  Request request{
      .id = MakeId(++requests_, verb), .verb = verb, .deadline = AttemptDeadline(at.now), .record = std::move(record)};
  // Rule 6: the version written against comes from the same answer as the record that was judged.
  if (verb == Verb::kUpdate) request.expected = observed_.Known()->version;
  if (verb != Verb::kGet) ours_.Add(request.record);
  in_flight_ = Sent{request, purpose, at.now, observed_.TakeMark()};
  paced_until_ =
      at.now + (IsHolder() ? std::chrono::nanoseconds(settings_.retry_period) : Jittered(settings_.retry_period));
  output_.request = std::move(request);
}

// Candidates that began together drift apart; never longer than the period, so that take-over stays within
// lease_duration + retry_period even when polling.
std::chrono::nanoseconds Election::Jittered(milliseconds period, double from) {
  const double factor = std::uniform_real_distribution<double>(from, 1.0)(random_);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(period * factor);
}

Error Election::Held(std::chrono::nanoseconds wait) const {
  const Stored* known = observed_.Known();
  const std::string holder = known != nullptr ? known->record.holder_identity : std::string();
  const auto milliseconds_left = std::chrono::ceil<milliseconds>(wait).count();
  return Error{ErrorCode::kHeld,
               (holder.empty() ? std::string("an earlier holder") : "held by " + holder) + ", and may be for another " +
                   std::to_string(milliseconds_left) + " ms",
               std::nullopt};
}

}  // namespace leaderelection

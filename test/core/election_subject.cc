#include "core/election_subject.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace leaderelection {

namespace {

WallTime NextWallTime() {
  static WallTime time(std::chrono::seconds(1'700'000'000));
  return time += 1ms;
}

}  // namespace

std::string_view ToString(EndReason reason) {
  constexpr std::string_view kNames[] = {"released", "left", "drain timeout", "expired", "rival", "gone", "went back"};
  return kNames[static_cast<int>(reason)];
}

ElectionSettings UsualSettings(const std::string& identity) {
  ElectionSettings settings;
  settings.identity = identity;
  return settings;
}

Record HeldBy(const std::string& identity, std::chrono::milliseconds lease_duration) {
  const WallTime time = NextWallTime();
  return {.holder_identity = identity,
          .lease_duration = lease_duration,
          .acquire_time = time,
          .renew_time = time,
          .transitions = 0};
}

Record Released() { return HeldBy("", 1s); }

Record Renewed(Record record) {
  record.renew_time = NextWallTime();
  return record;
}

Subject::Subject(ElectionSettings settings) : election_(std::move(settings), validity_) {}

void Subject::Stand(Election::Role role) { Apply(election_.Stand(At(), role)); }
void Subject::Try() { Apply(election_.Try(At())); }
void Subject::Stop(bool release) { Apply(election_.Resign(At(), Election::Resignation::kStop, release)); }
void Subject::StepDown(bool release) { Apply(election_.Resign(At(), Election::Resignation::kStepDown, release)); }

void Subject::WorkStarts() { Apply(election_.WorkStarted(At())); }

void Subject::WorkReturns() {
  story_.emplace_back("work returned");
  Apply(election_.WorkReturned(At()));
}

void Subject::Lead() {
  Stand();
  WorkStarts();
  story_.clear();
  requests_.clear();
}

void Subject::Move(std::chrono::nanoseconds duration) {
  clock_->now += duration;
  if (!wall_frozen_) clock_->wall += std::chrono::floor<std::chrono::microseconds>(duration);
}

void Subject::Pass(std::chrono::nanoseconds duration) {
  const MonotonicTime end = clock_->now + duration;
  for (int wakes = 0; wake_at_ <= end; ++wakes) {
    if (wakes > 10'000) throw std::logic_error("the election asks to be woken for ever");
    if (wake_at_ > clock_->now) Move(wake_at_ - clock_->now);
    Wake();
  }
  Move(end - clock_->now);
}

void Subject::Stall(std::chrono::nanoseconds duration) { Move(duration); }

void Subject::Wake() { Apply(election_.HandleTime(At())); }

Stored Subject::Write(const Record& record) {
  stored_ = Stored{record, Version{++order_, nullptr}, expires_in_};
  return *stored_;
}

Stored Subject::Put(const Record& record) { return Write(record); }

void Subject::Delete() {
  stored_.reset();
  ++order_;
}

void Subject::SetStored(const Stored& stored) {
  stored_ = stored;
  order_ = stored.version.order;
}

Result<Stored> Subject::Execute(const Request& request) {
  switch (request.verb) {
    case Verb::kGet:
      if (!stored_) return Result<Stored>(ErrorCode::kNotFound, "404");
      stored_->expires_in = expires_in_;
      return *stored_;
    case Verb::kCreate:
      if (stored_) return Result<Stored>(ErrorCode::kAlreadyExists, "409");
      return Write(request.record);
    case Verb::kUpdate:
      break;
  }
  if (!stored_) return Result<Stored>(ErrorCode::kNotFound, "404");
  if (stored_->version.order != request.expected.order) return Result<Stored>(ErrorCode::kConflict, "409");
  return Write(request.record);
}

void Subject::Commit() { answer_ = Execute(*pending_); }

void Subject::Answer() {
  if (!answer_) Commit();
  Result<Stored> reply = *std::exchange(answer_, std::nullopt);
  if (change_ && reply.ok() && pending_->verb != Verb::kGet) {
    Stored changed = reply.value();
    change_(changed);
    reply = changed;
  }
  AnswerWith(std::move(reply));
}

void Subject::AnswerWith(Result<Stored> reply) {
  answer_.reset();
  const std::uint64_t id = std::exchange(pending_, std::nullopt)->id;
  Apply(election_.HandleReply(At(), id, std::move(reply)));
}

void Subject::AnswerLate(std::uint64_t request_id, Result<Stored> reply) {
  Apply(election_.HandleReply(At(), request_id, std::move(reply)));
}

void Subject::AnswerRequests() {
  holding_ = false;
  if (pending_) Answer();
}

void Subject::Tell(WatchEvent::Kind kind) { Apply(election_.HandleEvent(At(), WatchEvent{.kind = kind})); }

void Subject::Sees(const Stored& stored) {
  Apply(election_.HandleEvent(At(), WatchEvent{.kind = WatchEvent::Kind::kChanged, .stored = stored}));
}

void Subject::SeesDeletion(std::uint64_t order) {
  WatchEvent event{.kind = WatchEvent::Kind::kDeleted};
  event.stored.version.order = order;
  Apply(election_.HandleEvent(At(), event));
}

void Subject::Note(const Announcement& announcement) {
  announcements_.push_back(announcement);
  if (const auto* started = std::get_if<announce::TermStarted>(&announcement)) {
    number_ = started->number;
    story_.emplace_back("started");
  } else if (std::holds_alternative<announce::WorkMustStop>(announcement)) {
    story_.emplace_back("must stop");
  } else if (const auto* ended = std::get_if<announce::TermEnded>(&announcement)) {
    story_.emplace_back("ended: " + std::string(ToString(ended->reason)) + (leads() ? " while leading" : ""));
  } else if (std::holds_alternative<announce::Overrun>(announcement)) {
    story_.emplace_back("overrun");
  } else if (const auto* over = std::get_if<announce::AttemptOver>(&announcement)) {
    story_.emplace_back("attempt over: " + std::string(ToString(over->error.code)));
  } else if (std::holds_alternative<announce::Idle>(announcement)) {
    story_.emplace_back("idle");
  } else if (std::holds_alternative<announce::NamesakeSeen>(announcement)) {
    story_.emplace_back("namesake");
  }
}

void Subject::Apply(Output output) {
  for (const Announcement& announcement : output.announcements) Note(announcement);
  wake_at_ = output.wake_at;
  if (!output.request) return;
  const Request& request = *output.request;
  const bool releases = request.verb == Verb::kUpdate && request.record.holder_identity.empty();
  constexpr const char* kVerbs[] = {"get", "create", "update"};
  std::string line = releases ? "release" : kVerbs[static_cast<int>(request.verb)];
  if (releases && leads()) line += " while leading";
  story_.push_back(std::move(line));
  requests_.push_back(request);
  pending_ = request;
  answer_.reset();
  if (holding_) return;
  if (failures_.empty()) return Answer();
  const Failure failure = failures_.front();
  failures_.erase(failures_.begin());
  if (failure.committed) Commit();
  AnswerWith(failure.error);
}

std::vector<std::string> Subject::TakeStory() { return std::exchange(story_, {}); }
std::vector<Request> Subject::TakeRequests() { return std::exchange(requests_, {}); }

std::size_t Subject::writes() const {
  return static_cast<std::size_t>(std::count_if(requests_.begin(), requests_.end(),
                                                [](const Request& request) { return request.verb != Verb::kGet; }));
}

}  // namespace leaderelection

// One election under test, in time that passes only when the test says so: no executor, no thread, no lock. It plays
// the driver (wake-ups) and the backend (one record behind compare-and-swap), and writes down all that comes out.
//
//   Subject a("a");
//   a.Put(HeldBy("b"));
//   a.Stand();
//   a.Pass(16s);
//   EXPECT_THAT(a.TakeStory(), ElementsAre("get", "update", "started"));

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/announcement.h"
#include "core/election.h"
#include "core/manual_clock.h"
#include "core/validity.h"
#include "leaderelection/clock.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

using namespace std::chrono_literals;

// 15, 10 and 2 seconds.
ElectionSettings UsualSettings(const std::string& identity);

// A record as another candidate writes it; each call gives another renew_time.
Record HeldBy(const std::string& identity, std::chrono::milliseconds lease_duration = 15s);
Record Released();
// The same holder's next renewal.
Record Renewed(Record record);

class Subject {
 public:
  explicit Subject(const std::string& identity) : Subject(UsualSettings(identity)) {}
  explicit Subject(ElectionSettings settings);

  // What its owner does.
  void Stand(Election::Role role = Election::Role::kCandidate);
  void Try();
  void Stop(bool release = true);
  void StepDown(bool release = true);
  void WorkStarts();
  void WorkReturns();
  // Stands on an empty store and leads, with its work running, renewed this very moment.
  void Lead();

  // Time passes, with a wake-up whenever one was asked for.
  void Pass(std::chrono::nanoseconds duration);
  // Time passes and nothing runs: a stalled thread, a stopped process, a suspended machine.
  void Stall(std::chrono::nanoseconds duration);
  // What was due meanwhile happens now.
  void Wake();
  void SetWall(WallTime wall) { clock_->wall = wall; }
  void StepWall(std::chrono::seconds step) { clock_->wall += step; }
  void FreezeWall() { wall_frozen_ = true; }

  // What others do to the record; the subject hears nothing of it by itself.
  Stored Put(const Record& record);
  void Relabel() { Put(stored_->record); }
  void Delete();
  [[nodiscard]] const std::optional<Stored>& stored() const { return stored_; }
  void SetStored(const Stored& stored);
  // What the server says is left, in every answer and event from now on.
  void SetExpiresIn(std::optional<std::chrono::milliseconds> left) { expires_in_ = left; }

  // Requests are answered at once, until one is to be held: then each waits for the test.
  void HoldRequests() { holding_ = true; }
  void AnswerRequests();
  [[nodiscard]] bool waits() const { return pending_.has_value(); }
  [[nodiscard]] const Request& pending() const { return *pending_; }
  // Carries the held request out; the answer stays on its way. Again: carried out twice.
  void Commit();
  // Carries it out unless that is done, and answers.
  void Answer();
  void AnswerWith(Result<Stored> reply);
  void AnswerWith(ErrorCode code) { AnswerWith(Result<Stored>(code, "as the test says")); }
  // An answer of long ago, after the subject has turned to something else.
  void AnswerLate(std::uint64_t request_id, Result<Stored> reply);
  // The next requests are answered so, carried out or not.
  void FailNext(Error error, bool committed = false) { failures_.push_back({std::move(error), committed}); }
  void FailNext(ErrorCode code, bool committed = false) { FailNext(Error{code, "scripted", std::nullopt}, committed); }
  void Recover() { failures_.clear(); }
  // Every answer to a write is changed like this.
  void ChangeAnswers(std::function<void(Stored&)> change) { change_ = std::move(change); }

  // The watch.
  void Live() { Tell(WatchEvent::Kind::kLive); }
  void Lost() { Tell(WatchEvent::Kind::kLost); }
  void Refused() { Tell(WatchEvent::Kind::kRefused); }
  void Sees(const Stored& stored);
  void SeesWhatIsStored() { Sees(*stored_); }
  void SeesDeletion(std::uint64_t order);
  void SeesDeletion() { SeesDeletion(order_); }

  // What came of it, since the last look and in order: requests ("get", "create", "update", "release"; "... while
  // leading" for a release that is sent by a valid term) and what changes a leader's life ("started", "must stop",
  // "ended: expired", "overrun", "attempt over: held", "idle", "namesake").
  std::vector<std::string> TakeStory();
  std::vector<Request> TakeRequests();
  [[nodiscard]] std::size_t requests() const { return requests_.size(); }
  [[nodiscard]] std::size_t writes() const;

  [[nodiscard]] bool leads() const { return validity_->IsValid(); }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] MonotonicTime now() const { return clock_->now; }
  [[nodiscard]] MonotonicTime wake_at() const { return wake_at_; }
  [[nodiscard]] Validity& validity() { return *validity_; }
  [[nodiscard]] Election& election() { return election_; }
  [[nodiscard]] std::uint64_t order() const { return order_; }

  // The announcements of one kind so far.
  template <class Kind>
  [[nodiscard]] std::vector<Kind> All() const {
    std::vector<Kind> found;
    for (const Announcement& announcement : announcements_) {
      if (const auto* kind = std::get_if<Kind>(&announcement)) found.push_back(*kind);
    }
    return found;
  }

 private:
  struct Failure {
    Error error;
    bool committed;
  };

  [[nodiscard]] Instant At() const { return {clock_->now, clock_->wall}; }
  void Apply(Output output);
  void Move(std::chrono::nanoseconds duration);
  void Note(const Announcement& announcement);
  void Tell(WatchEvent::Kind kind);
  [[nodiscard]] Result<Stored> Execute(const Request& request);
  Stored Write(const Record& record);

  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  const std::shared_ptr<Validity> validity_ = std::make_shared<Validity>(clock_);
  Election election_;
  bool wall_frozen_ = false;
  MonotonicTime wake_at_ = kNever;

  std::optional<Stored> stored_;
  std::uint64_t order_ = 100;
  std::optional<std::chrono::milliseconds> expires_in_;
  bool holding_ = false;
  std::optional<Request> pending_;
  std::optional<Result<Stored>> answer_;
  std::vector<Failure> failures_;
  std::function<void(Stored&)> change_;

  std::vector<std::string> story_;
  std::vector<Request> requests_;
  std::vector<Announcement> announcements_;
  std::uint64_t number_ = 0;
};

std::string_view ToString(EndReason reason);

}  // namespace leaderelection

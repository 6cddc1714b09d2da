// The state machine: all policy of an election, without threads, sleeps or I/O. Events and the time go in; the next
// request, the next wake-up and announcements come out. The code that ships is the code that is simulated.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/announcement.h"
#include "core/observation.h"
#include "core/record_author.h"
#include "core/sent_records.h"
#include "core/validity.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

struct ElectionSettings {
  std::string identity;
  std::chrono::milliseconds lease_duration{15000};
  std::chrono::milliseconds renew_deadline{10000};
  std::chrono::milliseconds retry_period{2000};
  std::chrono::milliseconds renew_interval{2000};
  std::chrono::milliseconds drain_timeout{30000};
  std::chrono::milliseconds release_spread{0};
  std::function<Record(Record)> storable = [](Record record) { return record; };
  std::uint64_t seed = 0;  // of the jitter
};

// A request for the lock, to be sent at once: the time it was decided counts as the time it was sent.
struct Request {
  std::uint64_t id = 0;
  Verb verb = Verb::kGet;
  MonotonicTime deadline;
  Record record;     // kCreate, kUpdate
  Version expected;  // kUpdate
};

struct Output {
  std::optional<Request> request;
  std::vector<Announcement> announcements;
  MonotonicTime wake_at = kNever;  // HandleTime is due then, if nothing happens before
};

class Election {
 public:
  enum class Role {
    kObserver,   // follows who leads, never writes
    kCandidate,  // stands again after every term
    kOneTerm,    // stands until its first term has ended
  };
  enum class Resignation {
    kStop,      // ends the term and stands no more
    kStepDown,  // ends the term and lets another one lead first
  };

  // `validity` is where the world reads whether we lead; written by this election alone.
  Election(ElectionSettings settings, std::shared_ptr<Validity> validity);

  // Takes part until Resign. In a term that Try began, the term goes on.
  Output Stand(Instant at, Role role);
  // One attempt: TermStarted or AttemptOver follows within two request deadlines. A term is held until Resign.
  Output Try(Instant at);
  // `release`: give the lock up as well, once the work has returned.
  Output Resign(Instant at, Resignation how, bool release);
  // The work that belongs to the present term has begun, or has returned.
  Output WorkStarted(Instant at);
  Output WorkReturned(Instant at);

  Output HandleReply(Instant at, std::uint64_t request_id, Result<Stored> reply);
  Output HandleEvent(Instant at, const WatchEvent& event);
  Output HandleTime(Instant at);

  void SetMetadata(Metadata metadata) { author_.SetMetadata(std::move(metadata)); }

 private:
  friend class ElectionMemory;  // test/model puts what is remembered aside and back

  enum class Phase {
    kIdle,
    kFollowing,  // reads, waits, and writes when it may
    kHolding,    // holds the record and renews it; the term is running or about to start (rule 2)
    kDraining,   // as kHolding, with the work asked to return
    kReleasing,  // the term is sealed; the lock is being given up
  };
  enum class Purpose { kRead, kAcquire, kRenew, kRelease };
  struct Sent {
    Request request;
    Purpose purpose = Purpose::kRead;
    MonotonicTime at;
    Observation::Mark mark;
  };

  Output Handle(Instant at, const std::function<void()>& event);

  // What happened.
  void CheckDeadlines(Instant at);
  void OnRead(Instant at, const Sent& sent, Result<Stored> reply);
  void OnWritten(Instant at, const Sent& sent, const Stored& stored);
  void OnWriteFailed(Instant at, const Sent& sent, const Error& error);
  void OnNews(Instant at, Observation::News news);
  void OnRecord(Instant at, const Record& record);

  // What becomes of it.
  void BecomeHolder(Instant at, const Sent& sent, std::uint64_t number);
  void StartTermIfDue(Instant at);
  void LetAnotherGoFirst(Instant at);
  void BeginRelease(Instant at, bool release);
  void FinishRelease(EndReason reason);
  void Lose(Instant at, EndReason reason);
  void EndAttempt(Instant at, Error error);
  void Rest();

  // What to do next.
  void Decide(Instant at);
  void DecideHolding(Instant at);
  void DecideReleasing(Instant at);
  void DecideFollowing(Instant at);
  bool MaySend(MonotonicTime now);
  void Heed(Instant at, const Error& error);
  void Pace(MonotonicTime until);
  MonotonicTime TermDeadline() const { return renewed_at_ + settings_.renew_deadline; }
  MonotonicTime AttemptDeadline(MonotonicTime now) const;
  void Read(Instant at);
  void Acquire(Instant at);
  void Renew(Instant at);
  void Release(Instant at);
  void Send(Instant at, Purpose purpose, Verb verb, Record record);
  void WakeAt(MonotonicTime time) { output_.wake_at = std::min(output_.wake_at, time); }
  std::chrono::nanoseconds Jittered(std::chrono::milliseconds period, double from = 0.8);
  Error Held(std::chrono::nanoseconds wait) const;

  bool HoldsThis(const Record& record) const;
  bool IsHolder() const { return phase_ == Phase::kHolding || phase_ == Phase::kDraining; }
  bool IsCandidate() const { return trying_ || role_ == Role::kCandidate || role_ == Role::kOneTerm; }

  const ElectionSettings settings_;
  const std::shared_ptr<Validity> validity_;
  std::mt19937_64 random_;
  RecordAuthor author_;
  SentRecords ours_;
  Observation observed_;

  Phase phase_ = Phase::kIdle;
  std::optional<Role> role_;  // what Stand asked for; none while idle and after Try
  bool trying_ = false;       // Try waits for its outcome
  MonotonicTime try_until_;
  bool term_running_ = false;    // TermStarted was announced
  bool work_running_ = false;    // the work has not returned, perhaps from a term that is over
  std::uint64_t number_ = 0;     // of the acquiring write
  Record held_;                  // the record we hold, as last acknowledged
  MonotonicTime renewed_at_;     // when the last acknowledged write was sent: rule 1 counts from here
  MonotonicTime renew_at_;       // when the next renewal is due
  MonotonicTime release_until_;  // no releasing write is answered after this
  MonotonicTime drain_until_ = kNever;
  MonotonicTime overrun_at_ = kNever;
  bool release_wanted_ = false;  // what the resignation said
  Resignation resignation_ = Resignation::kStepDown;
  MonotonicTime barred_until_ = MonotonicTime::min();  // after StepDown, unless another holder is seen

  std::optional<Sent> in_flight_;
  std::uint64_t requests_ = 0;  // counts them
  bool read_needed_ = false;    // only a fresh read decides: nothing is written before it
  bool look_wanted_ = false;    // a read would be good, and holds up nothing
  bool watch_live_ = false;
  MonotonicTime last_news_;  // from the watch or a read
  MonotonicTime poll_at_;    // a follower's next look
  MonotonicTime spread_until_ = MonotonicTime::min();
  MonotonicTime paced_until_ = MonotonicTime::min();
  int hurry_left_ = 0;  // requests that may go out ahead of the pace
  Output output_;
};

}  // namespace leaderelection

// One elector: its election, its callbacks, and those who wait for either.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/announcement.h"
#include "core/callback_queue.h"
#include "core/election_driver.h"
#include "core/leader_view.h"
#include "core/reporter.h"
#include "core/term_state.h"
#include "core/validity.h"
#include "leaderelection/leader_elector.h"

namespace leaderelection {

// The members are those of LeaderElector, which see.
class Candidacy {
 public:
  explicit Candidacy(LeaderElectionConfig config);
  ~Candidacy();

  void Run(const std::stop_token& stop);
  void Start();
  void Stop();
  Result<Term> TryAcquire();
  void Release();
  void StepDown();

  [[nodiscard]] bool IsLeader() const noexcept { return validity_->IsValid(); }
  [[nodiscard]] std::optional<Term> CurrentTerm() const;
  [[nodiscard]] std::optional<LeaderInfo> GetLeaderInfo() const { return view_.Current(clock_->Now()); }
  [[nodiscard]] Status Check(std::chrono::milliseconds tolerance) const;
  [[nodiscard]] Health GetHealth() const;
  void SetMetadata(Metadata metadata);

  [[nodiscard]] const LeaderElectionConfig& config() const { return config_; }

 private:
  enum class Mode { kNone, kManual, kRun, kService };

  // Orders to the election, each carried out on the executor's thread.
  void Enter(Mode mode);
  void Stand(Election::Role role);
  void Resign(bool release);
  void LaunchWork();
  void PushEnding();
  void ProvideMetadata();

  // What it announces, on the executor's thread.
  void Hear(const Announcement& announcement);
  void On(const announce::TermStarted& started);
  void On(const announce::WorkMustStop& must_stop);
  void On(const announce::TermEnded& ended);
  void On(const announce::Overrun& overrun);
  void On(const announce::AttemptOver& over);
  void On(const announce::Idle& idle);
  void On(const announce::RecordChanged& changed);
  void On(const announce::Renewed& renewed);
  void On(const announce::RequestFailed& failed);
  void On(const announce::Answered& answered);
  void On(const announce::SlowPath&) {}
  void On(const announce::NamesakeSeen&) {}

  // User code, on the queues.
  void RunWork(const std::shared_ptr<TermState>& term);
  void EndTerm(const std::shared_ptr<TermState>& term);
  bool Call(std::string_view callback, const std::function<void()>& function) const;

  void AwaitRest();
  [[nodiscard]] bool AtRest() const;
  [[nodiscard]] bool InCallback() const;
  void ThrowIfBusy(const char* what) const;
  void ThrowIfRunning(const char* what) const;

  const LeaderElectionConfig config_;
  const std::shared_ptr<Executor> executor_;
  const std::shared_ptr<const Clock> clock_;
  const std::shared_ptr<Validity> validity_;
  LeaderView view_;

  // Executor's thread only, inside a step of the driver.
  Reporter reporter_;
  std::shared_ptr<TermState> term_;  // null: no term
  bool active_ = false;              // the election takes part: Stand or Try, and not yet Idle
  bool standing_ = false;            // by Stand, so that a term means work
  bool trying_ = false;              // by Try, and its outcome is not known yet
  bool leaving_ = false;             // Idle is on its way
  std::optional<Election::Role> stand_later_;
  bool launched_ = false;  // its work is, or was, on its queue
  bool stopping_ = false;  // the work has been asked to return

  // What those who wait and ask look at.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Mode mode_ = Mode::kNone;
  bool stand_pending_ = false;        // Stand was ordered and has not been carried out
  bool attempting_ = false;           // TryAcquire waits
  std::optional<Error> attempt_;      // its failure
  std::shared_ptr<TermState> shown_;  // the term, to be shown
  int works_ = 0;                     // of them running
  int endings_ = 0;                   // calls of on_stopped_leading that are due
  bool given_up_ = false;             // on work that did not return in time
  MonotonicTime acts_until_;          // after this another candidate may lead
  std::optional<Error> failure_;      // of the last request
  MonotonicTime answered_at_;         // when one succeeded last
  Metadata metadata_;

  const std::shared_ptr<ElectionDriver> driver_;
  // Last, so that they go first: what they run refers to all of the above.
  CallbackQueue observers_;
  CallbackQueue lifecycle_;
  CallbackQueue work_;
};

}  // namespace leaderelection

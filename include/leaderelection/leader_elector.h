// Elects one leader among the candidates that share a lock. Start here.
//
//   LeaderElector elector({
//       .lock = std::make_shared<FileLock>("/run/my-service/leader"),
//       .callbacks = {.on_started_leading = [](const Term& term) { Work(term.stop_token(), term.fencing_token()); },
//                     .on_stopped_leading = [] { ... }},
//       .release_on_cancel = true});
//   elector.Run(StopOnSignals({SIGINT, SIGTERM}));   // one term, as client-go; or Start() and Stop(); or TryAcquire()
//
// Promises: at most one candidate's term is valid at a time, provided no host's clock runs faster than another's by
// more than lease_duration / renew_deadline, and the store keeps what it has acknowledged.
// Does not promise: that a late write of an old leader cannot reach a third system. Pass term.fencing_token() along
// where that matters.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "leaderelection/error.h"
#include "leaderelection/executor.h"
#include "leaderelection/export.h"
#include "leaderelection/leader_info.h"
#include "leaderelection/log.h"
#include "leaderelection/metrics.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"
#include "leaderelection/stop_on_signals.h"
#include "leaderelection/term.h"

namespace leaderelection {

class Candidacy;

// hostname_pid_random: unlike that of any other process, also after a restart.
[[nodiscard]] LEADERELECTION_EXPORT std::string DefaultIdentity();

// Each may be left out, may throw (it is logged) and may call the elector. None of them holds up a renewal, a step-down
// or another elector, however long it blocks.
struct LeaderCallbacks {
  // The leader's work, on a thread of its own. It returns when term.stop_token() is requested; should it return
  // earlier, the elector goes on leading. While it runs on after a lost term, this elector does not stand again.
  std::function<void(const Term&)> on_started_leading;
  // Once for every term that on_started_leading was told of, after it is over: at once on a loss, after the release on
  // a clean stop. Unlike client-go's, not called if there was no term.
  std::function<void()> on_stopped_leading;
  // Every change of leader, the first sighting and oneself included, in order; never an empty name.
  std::function<void(const std::string& identity)> on_new_leader;
  // The same with details, and also when nobody leads any more.
  std::function<void(const LeaderChange&)> on_leader_changed;
};

struct LeaderElectionConfig {
  std::shared_ptr<ResourceLock> lock;
  LeaderCallbacks callbacks;

  // Must differ between processes: two that share it take each other for strangers and say so in the log.
  std::string identity = DefaultIdentity();

  // How long the others wait after the leader's last sign of life before one of them takes over. 24 hours at most.
  std::chrono::milliseconds lease_duration = std::chrono::seconds(15);
  // How long after it *sent* its last acknowledged renewal a leader may act. The difference to lease_duration is the
  // margin for clocks that run at different rates.
  std::chrono::milliseconds renew_deadline = std::chrono::seconds(10);
  // The pace of attempts.
  std::chrono::milliseconds retry_period = std::chrono::seconds(2);
  // The pace of renewals; zero: retry_period.
  std::chrono::milliseconds renew_interval{0};

  // Whether a clean stop frees the lock at once, after the work has returned, instead of letting it expire.
  bool release_on_cancel = false;
  // Follows who leads and never stands.
  bool observe_only = false;

  // How long a clean stop waits for the work, renewing meanwhile. After that, and after a loss, Run and Stop return
  // although it still runs; it is reported, and the lock is left to expire.
  std::chrono::milliseconds drain_timeout = std::chrono::seconds(30);
  // What to do if the work of a lost term still runs when another candidate may lead.
  enum class Overrun { kReport, kTerminate } overrun = Overrun::kReport;
  // What to do if the work throws: a leader without work helps nobody, so it steps down by default.
  enum class WorkFailure { kStepDown, kKeepLeading } work_failure = WorkFailure::kStepDown;

  // The label of metrics, logs and health; empty: the lock's own.
  std::string name;
  // Travels with the lock and is shown by every observer. The function, if there is one, adds to it (its values win);
  // it is called when the elector starts and after each term begins.
  Metadata metadata;
  std::function<Metadata()> metadata_provider;

  // Where the election runs; null: on an event loop of its own. Share one among many electors.
  std::shared_ptr<Executor> executor;
  // Where the callbacks run; empty: on threads that start when they are first needed. It is given tasks from any thread
  // and must not run them in the call; it outlives the elector. The work occupies one of its threads while it leads,
  // and another must be free to ask it to stop.
  std::function<void(Task)> callback_executor;
  std::shared_ptr<Metrics> metrics;  // null: nowhere
  LogSink log;                       // empty: nowhere
};

struct Health {
  enum class State {
    kLeader,    // leads
    kFollower,  // follows another, waits, or does not take part: healthy too, a rolling update depends on it
    kError,     // the lock did not answer lately, or work of a lost term still runs; `message` says which
  };
  State state = State::kFollower;
  std::string message;
};

// All members may be called from any thread, also inside callbacks, where Stop and Release only request. Not fork-safe.
class LEADERELECTION_EXPORT LeaderElector {
 public:
  // Throws std::invalid_argument that names every wrong field.
  explicit LeaderElector(LeaderElectionConfig config);
  // Ends the term on the spot, without a release (Stop does that), and waits for the work and the callbacks, saying in
  // the log what it waits for. Not to be called inside a callback: that would wait for itself, and terminates.
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Stands until it has led once and the term is over, or until stop is requested, and returns when all callbacks have.
  // An elector may run again. Throws std::logic_error if it runs already.
  void Run(std::stop_token stop);

  // Stands in the background, again after each lost term, until Stop. Start throws std::logic_error if it runs already.
  void Start();
  // Ends the term cleanly: the work is asked to return, then the lock is released (release_on_cancel), then
  // on_stopped_leading is called, then this returns. May be repeated.
  void Stop();

  // One attempt by hand: the term, which is held and renewed until Release, or kHeld, or what else went wrong. Start or
  // Run may take the term over: same number, no write. Throws std::logic_error while Start or Run is under way.
  [[nodiscard]] Result<Term> TryAcquire();
  // Gives up what TryAcquire got and frees the lock. After Start or Run it is StepDown.
  void Release();
  // Ends the term cleanly, frees the lock, and lets another candidate lead first. Does not wait.
  void StepDown();

  // Rule 5: one atomic load, one clock read, no lock. False from the deadline on, whatever threads hang.
  [[nodiscard]] bool IsLeader() const noexcept;
  [[nodiscard]] std::optional<Term> CurrentTerm() const;
  // The leader last seen; empty if nobody leads.
  [[nodiscard]] std::string GetLeader() const;
  [[nodiscard]] std::optional<LeaderInfo> GetLeaderInfo() const;

  // For a liveness probe: an error if this elector, or its work, acts as leader longer than `tolerance` after the
  // others may have taken over. Healthy whenever it does not lead, and while the lock is out of reach.
  [[nodiscard]] Status Check(std::chrono::milliseconds tolerance) const;
  [[nodiscard]] Health GetHealth() const;

  // Takes effect with the next write.
  void SetMetadata(Metadata metadata);

  [[nodiscard]] const std::string& identity() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;

 private:
  const std::unique_ptr<Candidacy> candidacy_;
};

}  // namespace leaderelection

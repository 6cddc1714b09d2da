// Runs the command while leading: leader-elector's own part of it.

#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "child/lifeline.h"
#include "child/orphans.h"
#include "child/watcher.h"
#include "leaderelection/leader_elector.h"

namespace leaderelection::command {

struct SupervisorOptions {
  std::vector<std::string> command;
  std::chrono::milliseconds grace_period;
  std::chrono::milliseconds lease_duration;
  std::chrono::milliseconds renew_deadline;
};

// To be made before the process has threads, for it forks; it takes over the process's signals.
class Supervisor {
 public:
  // Throws UsageError if there is no time to end a command between renew_deadline and lease_duration.
  explicit Supervisor(SupervisorOptions options);

  // What the elector is given.
  [[nodiscard]] std::shared_ptr<Metrics> Extending(std::shared_ptr<Metrics> metrics);
  void Work(const Term& term, const std::string& environment);

  // Starts the elector and returns when it has stopped, with the exit code: the command's if it ran to its end, or ran
  // when a signal asked to stop; 0 if it did not run then; 1 if the watcher was lost.
  int Serve(LeaderElector& elector, const LogSink& log);

 private:
  void OnSignals();
  void OnReport();
  void OnWatcherLost();
  void Forward(int signal);
  void Stop();
  void Ended(int code);
  void Log(LogLevel level, std::string_view message, std::vector<LogField> fields = {}) const;
  [[nodiscard]] int WaitTime();

  const SupervisorOptions options_;
  const std::chrono::milliseconds margin_;
  Lifeline lifeline_;
  const Descriptor signals_;
  const Descriptor stopped_;  // readable when the elector has stopped
  Watcher watcher_;

  // The serving thread's.
  LeaderElector* elector_ = nullptr;
  LogSink log_;
  Orphans orphans_;
  bool watcher_lost_ = false;
  std::optional<int> exit_code_;
  std::jthread stopper_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;   // the command, as far as is known here
  bool asked_ = false;     // to end, by the end of its term
  bool stopping_ = false;  // the elector
};

}  // namespace leaderelection::command

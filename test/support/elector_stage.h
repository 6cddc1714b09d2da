// Electors on one lock in virtual time, with their callbacks on the same executor: everything happens on the test's own
// thread, in an order that is the same every time. What happens is written down.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leaderelection/leader_elector.h"
#include "leaderelection/testing/fake_lock.h"
#include "leaderelection/testing/simulated_executor.h"

namespace leaderelection::testing {

class ElectorStage {
 public:
  // Durations of 15, 10 and 2 seconds; callbacks that note "a started 7", "a stopped", "a sees b".
  [[nodiscard]] LeaderElectionConfig Config(const std::string& identity) {
    LeaderElectionConfig config;
    config.lock = lock;
    config.identity = identity;
    config.executor = executor;
    config.callback_executor = [this](Task task) { executor->Post(std::move(task)); };
    config.callbacks.on_started_leading = [this, identity](const Term& term) {
      Note(identity + " started " + std::to_string(term.fencing_token()));
    };
    config.callbacks.on_stopped_leading = [this, identity] { Note(identity + " stopped"); };
    config.callbacks.on_new_leader = [this, identity](const std::string& leader) {
      Note(identity + " sees " + leader);
    };
    config.log = [this](const LogEvent& event) { log.push_back(ToLogfmt(event)); };
    return config;
  }

  // Runs something that blocks, on another thread, while what it waits for happens here. Time stands still, or passes
  // by a second at a time.
  void Await(const std::function<void()>& blocking, std::chrono::nanoseconds step = std::chrono::nanoseconds(0)) {
    std::atomic<bool> done = false;
    std::thread thread([&] {
      blocking();
      done = true;
    });
    while (!done) {
      executor->Advance(step);
      std::this_thread::yield();
    }
    thread.join();
    executor->RunUntilIdle();
  }

  void Note(std::string what) { notes.push_back(std::move(what)); }
  std::vector<std::string> TakeNotes() { return std::exchange(notes, {}); }
  [[nodiscard]] bool Logged(const std::string& text) const {
    for (const std::string& line : log) {
      if (line.find(text) != std::string::npos) return true;
    }
    return false;
  }

  const std::shared_ptr<SimulatedExecutor> executor = std::make_shared<SimulatedExecutor>();
  const std::shared_ptr<FakeLock> lock = std::make_shared<FakeLock>("stage");
  std::vector<std::string> notes;
  std::vector<std::string> log;
};

// A record as another candidate would have left it.
inline Record HeldBy(const std::string& identity, std::chrono::milliseconds lease_duration = std::chrono::seconds(15)) {
  return {.holder_identity = identity,
          .lease_duration = lease_duration,
          .acquire_time = WallTime(std::chrono::hours(1)),
          .renew_time = WallTime(std::chrono::hours(1)),
          .transitions = 3};
}

}  // namespace leaderelection::testing

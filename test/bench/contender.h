// Two who pass a lock to and fro, and how long that takes: the part that the benchmarks of all locks share. They print
// one number of milliseconds per line.

#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "leaderelection/leader_elector.h"

namespace leaderelection::bench {

inline void Print(BootClock::duration time) {
  std::cout << std::chrono::duration<double, std::milli>(time).count() << std::endl;
}

class Contender {
 public:
  // The configuration has a lock and durations; the rest is set here.
  Contender(LeaderElectionConfig config, const std::string& identity)
      : elector_(Complete(std::move(config), identity)) {}

  // Stands; the answer is the moment its term begins.
  std::future<MonotonicTime> Start() {
    started_ = {};
    elector_.Start();
    return started_.get_future();
  }
  LeaderElector& elector() { return elector_; }

 private:
  LeaderElectionConfig Complete(LeaderElectionConfig config, const std::string& identity) {
    config.identity = identity;
    config.release_on_cancel = true;
    config.callbacks.on_started_leading = [this](const Term&) { started_.set_value(BootClock::now()); };
    return config;
  }

  std::promise<MonotonicTime> started_;
  LeaderElector elector_;
};

// From the holder's request to stop until the other's work begins. `make` returns a configuration whose lock has a
// client of its own, as two processes would.
inline void HandOffs(const std::function<LeaderElectionConfig()>& make, int count) {
  using namespace std::chrono_literals;
  std::minstd_rand random(1);
  Contender a(make(), "a");
  Contender b(make(), "b");
  Contender* holder = &a;
  Contender* waiting = &b;
  holder->Start().wait();
  for (int i = 0; i < count; ++i) {
    auto started = waiting->Start();
    // Until it waits, and not in step with anybody's attempts.
    (void)started.wait_for(300ms + std::chrono::milliseconds(random() % 100));
    const MonotonicTime released = BootClock::now();
    holder->elector().Stop();
    Print(started.get() - released);
    std::swap(holder, waiting);
  }
  holder->elector().Stop();
}

}  // namespace leaderelection::bench

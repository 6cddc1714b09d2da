// Asks an elector every millisecond whether it leads, as a program does before each write.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "leaderelection/leader_elector.h"

namespace leaderelection::candidate {

// When the answer turns from yes to no, tells when the last yes was asked for, once. The elector outlives it.
class Check {
 public:
  Check(const LeaderElector& elector, std::function<void(MonotonicTime led_at)> on_end)
      : thread_([this, &elector, on_end = std::move(on_end)](const std::stop_token& stop) {
          Ask(elector, on_end, stop);
        }) {}

 private:
  void Ask(const LeaderElector& elector, const std::function<void(MonotonicTime)>& on_end,
           const std::stop_token& stop) {
    MonotonicTime led_at{};
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const MonotonicTime now = BootClock::now();
      if (elector.IsLeader()) {
        led_at = now;
      } else if (led_at != MonotonicTime{}) {
        return on_end(led_at);
      }
      never_.wait_for(lock, stop, std::chrono::milliseconds(1), [] { return false; });
    }
  }

  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread thread_;  // last: it uses the above
};

}  // namespace leaderelection::candidate

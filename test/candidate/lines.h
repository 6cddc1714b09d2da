// What happens to a candidate, as lines of JSON on standard output.

#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "json/rfc3339.h"
#include "leaderelection/clock.h"

namespace leaderelection::candidate {

// Each event is one whole line in one write, so that a reader of a pipe sees it at once. Thread-safe.
class Lines {
 public:
  explicit Lines(std::string identity) : identity_(std::move(identity)) {}

  void Report(const std::string& event, const std::string& more = "") {
    const auto wall = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const std::string line = "{\"time\":\"" + FormatRfc3339(wall).value_or("") +
                             "\",\"boot_ns\":" + std::to_string(BootClock::now().time_since_epoch().count()) +
                             ",\"raw_ns\":" + std::to_string(RawNow()) + ",\"event\":\"" + event +
                             "\",\"identity\":\"" + identity_ + "\"" + more + "}\n";
    const std::lock_guard lock(mutex_);
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }

  // True time, for judging: the one clock that no test turns.
  static std::int64_t RawNow() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

 private:
  const std::string identity_;
  std::mutex mutex_;
};

}  // namespace leaderelection::candidate

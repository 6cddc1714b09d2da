// Whether a watch on a namespace pays, which brings news of strangers' Leases along with ours.

#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "leaderelection/clock.h"

namespace leaderelection {

// A Lease that is renewed brings about 30 events a minute. To read one takes some ten microseconds; the connection that
// a Lease needs for a watch of its own takes some ten kilobytes here, and more at the server.
class StrangerCount {
 public:
  static constexpr std::chrono::minutes kCountFor{1};
  static constexpr std::size_t kMostPerObserver = 100;

  explicit StrangerCount(MonotonicTime now) : since_(now) {}

  // Counts one more. Judged once a minute, for elections that begin one by one are strangers until they do: whether
  // those since the last time were too many for so many Leases of ours.
  [[nodiscard]] bool AddAndJudge(MonotonicTime now, std::size_t observers) {
    ++count_;
    if (now - since_ < kCountFor) return false;
    since_ = now;
    return std::exchange(count_, 0) > kMostPerObserver * observers;
  }

 private:
  MonotonicTime since_;
  std::size_t count_ = 0;
};

}  // namespace leaderelection

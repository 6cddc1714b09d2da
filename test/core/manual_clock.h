// Clocks that move only when the test moves them.

#pragma once

#include <chrono>

#include "leaderelection/clock.h"

namespace leaderelection {

struct ManualClock final : Clock {
  MonotonicTime now = MonotonicTime(std::chrono::hours(1));
  WallTime wall = WallTime(std::chrono::seconds(1'750'000'000));

  [[nodiscard]] MonotonicTime Now() const noexcept override { return now; }
  [[nodiscard]] WallTime WallNow() const noexcept override { return wall; }
};

}  // namespace leaderelection

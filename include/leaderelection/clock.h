// Two kinds of time, two types: MonotonicTime is compared, WallTime is shown. Mixing them does not compile.

#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

#include "leaderelection/export.h"

namespace leaderelection {

// CLOCK_BOOTTIME: never set, and counts on while the machine is suspended. A process that was stopped or slept
// through the end of its term therefore finds it over at its first look; steady_clock would not tell.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
};

using MonotonicTime = BootClock::time_point;

// What people read on their watches, as precise as a Lease stores it. Never compared with a clock: it may step.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

inline constexpr MonotonicTime kNever = MonotonicTime::max();

// Where the time is read: the machine's clocks, or a simulated pair. Thread-safe; outlives whoever asks.
class LEADERELECTION_EXPORT Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual MonotonicTime Now() const noexcept = 0;
  [[nodiscard]] virtual WallTime WallNow() const noexcept = 0;
};

}  // namespace leaderelection

// The clocks of one machine, which are never quite right.

#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "leaderelection/clock.h"
#include "simulation/world.h"

namespace leaderelection::simulation {

class SimClock final : public Clock {
 public:
  // `rate`: seconds of this machine per second of true time.
  SimClock(const World& world, double rate, std::chrono::nanoseconds uptime, std::chrono::microseconds wall_offset)
      : world_(world), rate_(rate), uptime_(uptime), wall_offset_(wall_offset) {}

  [[nodiscard]] double rate() const { return rate_; }

  [[nodiscard]] MonotonicTime Now() const noexcept override { return MonotonicTime(uptime_ + Elapsed(world_.now())); }

  // The first true time at which Now() has reached `time`.
  [[nodiscard]] TrueTime When(MonotonicTime time) const {
    const auto local = time.time_since_epoch() - uptime_;
    // A century is beyond the end of any schedule, and products stay exact enough below it.
    if (local > std::chrono::hours(24 * 36500)) return TrueTime::max();
    auto when = TrueTime(static_cast<std::int64_t>(std::ceil(static_cast<double>(local.count()) / rate_)));
    while (Elapsed(when) < local) ++when;
    return when;
  }

  [[nodiscard]] WallTime WallNow() const noexcept override {
    if (frozen_) return frozen_at_;
    return WallTime(kOrdinaryDay + std::chrono::floor<std::chrono::microseconds>(Elapsed(world_.now())) + wall_offset_);
  }
  void StepWall(std::chrono::microseconds step) { wall_offset_ += step; }
  void FreezeWall() {
    frozen_at_ = WallNow();
    frozen_ = true;
  }
  void ThawWall() { frozen_ = false; }

  // CLOCK_MONOTONIC, which stands still while the machine is suspended. Only the policy of others reads it.
  // Nothing of the machine runs while it sleeps, so nobody reads it then.
  [[nodiscard]] MonotonicTime Awake() const { return Now() - asleep_; }
  void Sleep(TrueTime until) {
    const TrueTime from = std::max(world_.now(), wakes_at_);
    if (until <= from) return;
    asleep_ += Elapsed(until) - Elapsed(from);
    wakes_at_ = until;
  }

 private:
  static constexpr std::chrono::seconds kOrdinaryDay{1'750'000'000};

  [[nodiscard]] std::chrono::nanoseconds Elapsed(TrueTime time) const {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(time.count()) * rate_));
  }

  const World& world_;
  const double rate_;
  const std::chrono::nanoseconds uptime_;
  std::chrono::microseconds wall_offset_;
  TrueTime wakes_at_{0};
  std::chrono::nanoseconds asleep_{0};
  bool frozen_ = false;
  WallTime frozen_at_;
};

}  // namespace leaderelection::simulation

// One process's thread: runs its tasks at once, late, or never.

#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "leaderelection/executor.h"
#include "simulation/sim_clock.h"
#include "simulation/world.h"

namespace leaderelection::simulation {

// Around every task, so that an oracle sees each step by itself.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  virtual void BeforeTask() = 0;
  virtual void AfterTask() = 0;
};

class SimExecutor final : public Executor {
 public:
  SimExecutor(World& world, std::shared_ptr<SimClock> clock, TaskObserver& observer)
      : Executor(clock), world_(world), sim_clock_(std::move(clock)), observer_(observer) {}

  void Post(Task task) override {
    if (dead_) return;
    ready_.push_back(std::move(task));
    Schedule();
  }

  void PostAt(MonotonicTime time, Task task) override {
    if (dead_) return;
    const TrueTime when = sim_clock_->When(time);
    if (when == TrueTime::max()) return;
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(timers_.size());
      timers_.push_back(std::move(task));
    } else {
      slot = free_.back();
      free_.pop_back();
      timers_[slot] = std::move(task);
    }
    world_.At(when, [this, slot] { Fire(slot); });
  }

  // Nothing runs before `time`: a stalled thread, a stopped process.
  void HoldUntil(TrueTime time) { held_until_ = std::max(held_until_, time); }
  [[nodiscard]] bool held() const { return held_until_ > world_.now(); }
  // The same, and nothing else of the process runs either.
  void PauseUntil(TrueTime time) {
    HoldUntil(time);
    paused_until_ = std::max(paused_until_, time);
  }
  [[nodiscard]] bool paused() const { return paused_until_ > world_.now(); }
  [[nodiscard]] TrueTime paused_until() const { return paused_until_; }

  // The process is gone, and all it had in mind.
  void Kill() {
    dead_ = true;
    ready_.clear();
    timers_.assign(timers_.size(), nullptr);
  }

 private:
  void Fire(std::uint32_t slot) {
    Task task = std::exchange(timers_[slot], nullptr);
    free_.push_back(slot);
    if (dead_) return;
    ready_.push_back(std::move(task));
    Schedule();
  }

  void Schedule() {
    if (std::exchange(scheduled_, true)) return;
    if (held()) {
      world_.At(held_until_, [this] { Run(); });
    } else {
      world_.Soon([this] { Run(); });
    }
  }

  void Run() {
    scheduled_ = false;
    while (!ready_.empty() && !dead_) {
      if (held()) return Schedule();
      const Task task = std::move(ready_.front());
      ready_.pop_front();
      observer_.BeforeTask();
      task();
      observer_.AfterTask();
    }
  }

  World& world_;
  const std::shared_ptr<SimClock> sim_clock_;
  TaskObserver& observer_;
  std::deque<Task> ready_;
  std::vector<Task> timers_;
  std::vector<std::uint32_t> free_;
  TrueTime held_until_{0};
  TrueTime paused_until_{0};
  bool scheduled_ = false;
  bool dead_ = false;
};

}  // namespace leaderelection::simulation

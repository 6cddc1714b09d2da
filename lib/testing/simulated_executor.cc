#include "leaderelection/testing/simulated_executor.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace leaderelection::testing {
namespace {

constexpr std::size_t kMostTasksAtOneMoment = 1'000'000;
constexpr MonotonicTime kAnHourAfterBoot{std::chrono::hours(1)};
constexpr WallTime kAnOrdinaryDay{std::chrono::sys_days(std::chrono::year(2024) / 5 / 15) + std::chrono::hours(12)};

}  // namespace

class SimulatedExecutor::Clocks final : public Clock {
 public:
  Clocks(MonotonicTime now, WallTime wall_now) : now_(now), wall_set_at_(now), wall_set_to_(wall_now) {}

  MonotonicTime Now() const noexcept override {
    std::lock_guard lock(mutex_);
    return now_;
  }

  WallTime WallNow() const noexcept override {
    std::lock_guard lock(mutex_);
    return WallNowLocked();
  }

  // True if time moved: it never goes back.
  bool MoveTo(MonotonicTime time) {
    std::lock_guard lock(mutex_);
    return time > std::exchange(now_, std::max(now_, time));
  }

  void StepWall(std::chrono::microseconds step) {
    std::lock_guard lock(mutex_);
    SetWallLocked(WallNowLocked() + step, false);
  }

  void SetWall(WallTime wall_now) {
    std::lock_guard lock(mutex_);
    SetWallLocked(wall_now, false);
  }

  void FreezeWall() {
    std::lock_guard lock(mutex_);
    SetWallLocked(WallNowLocked(), true);
  }

 private:
  WallTime WallNowLocked() const {
    if (wall_frozen_) return wall_set_to_;
    return wall_set_to_ + std::chrono::floor<WallTime::duration>(now_ - wall_set_at_);
  }

  void SetWallLocked(WallTime wall_now, bool frozen) {
    wall_set_at_ = now_;
    wall_set_to_ = wall_now;
    wall_frozen_ = frozen;
  }

  mutable std::mutex mutex_;
  MonotonicTime now_;
  MonotonicTime wall_set_at_;
  WallTime wall_set_to_;
  bool wall_frozen_ = false;
};

class SimulatedExecutor::Agenda {
 public:
  void Add(MonotonicTime time, Task task) {
    std::lock_guard lock(mutex_);
    if (!closed_) tasks_.emplace(std::pair(time, next_sequence_++), std::move(task));
  }

  struct Due {
    MonotonicTime time;
    Task task;
  };
  std::optional<Due> TakeDueBy(MonotonicTime time) {
    std::lock_guard lock(mutex_);
    if (tasks_.empty() || tasks_.begin()->first.first > time) return std::nullopt;
    auto first = tasks_.extract(tasks_.begin());
    return Due{first.key().first, std::move(first.mapped())};
  }

  // A dropped task may own something that posts as it goes; that is dropped too.
  void Close() {
    std::map<std::pair<MonotonicTime, std::uint64_t>, Task> dropped;
    std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(tasks_);
  }

  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return tasks_.size();
  }

  std::optional<MonotonicTime> next() const {
    std::lock_guard lock(mutex_);
    if (tasks_.empty()) return std::nullopt;
    return tasks_.begin()->first.first;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<MonotonicTime, std::uint64_t>, Task> tasks_;  // by time, then in the order they were posted
  std::uint64_t next_sequence_ = 0;
  bool closed_ = false;
};

SimulatedExecutor::SimulatedExecutor() : SimulatedExecutor(kAnHourAfterBoot, kAnOrdinaryDay) {}
SimulatedExecutor::SimulatedExecutor(MonotonicTime now, WallTime wall_now)
    : SimulatedExecutor(std::make_shared<Clocks>(now, wall_now)) {}
SimulatedExecutor::SimulatedExecutor(std::shared_ptr<Clocks> clocks)
    : Executor(clocks), clocks_(std::move(clocks)), agenda_(std::make_unique<Agenda>()) {}
SimulatedExecutor::~SimulatedExecutor() { agenda_->Close(); }

void SimulatedExecutor::Post(Task task) { agenda_->Add(Now(), std::move(task)); }
void SimulatedExecutor::PostAt(MonotonicTime time, Task task) { agenda_->Add(std::max(time, Now()), std::move(task)); }

std::size_t SimulatedExecutor::RunUntilIdle() { return RunUntil(Now()); }
std::size_t SimulatedExecutor::Advance(std::chrono::nanoseconds duration) { return RunUntil(Now() + duration); }

std::size_t SimulatedExecutor::RunUntil(MonotonicTime time) {
  const MonotonicTime end = std::max(time, Now());
  std::size_t ran = 0;
  std::size_t ran_at_this_moment = 0;
  while (auto due = agenda_->TakeDueBy(end)) {
    if (clocks_->MoveTo(due->time)) ran_at_this_moment = 0;
    if (++ran_at_this_moment > kMostTasksAtOneMoment) {
      throw std::logic_error("SimulatedExecutor: a task posts itself for ever without letting time pass");
    }
    due->task();
    ++ran;
  }
  clocks_->MoveTo(end);
  return ran;
}

void SimulatedExecutor::Stall(std::chrono::nanoseconds duration) { clocks_->MoveTo(Now() + duration); }

void SimulatedExecutor::SetWallTime(WallTime wall_now) { clocks_->SetWall(wall_now); }
void SimulatedExecutor::StepWallTime(std::chrono::microseconds step) { clocks_->StepWall(step); }
void SimulatedExecutor::FreezeWallTime() { clocks_->FreezeWall(); }

std::size_t SimulatedExecutor::pending() const { return agenda_->size(); }
std::optional<MonotonicTime> SimulatedExecutor::next() const { return agenda_->next(); }

}  // namespace leaderelection::testing

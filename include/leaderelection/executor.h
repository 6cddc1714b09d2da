// Where and when an elector runs. One executor may serve any number of electors.

#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "leaderelection/clock.h"
#include "leaderelection/export.h"

namespace leaderelection {

using Task = std::function<void()>;

// Time, and one thread's worth of order: tasks run one at a time, those posted from one thread in their order.
// All members may be called from any thread, also from inside a task. No task runs inside Post or PostAt.
class LEADERELECTION_EXPORT Executor {
 public:
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  virtual void Post(Task task) = 0;
  // Runs the task at the time or as soon after it as it can; a time that has passed is now.
  virtual void PostAt(MonotonicTime time, Task task) = 0;

  [[nodiscard]] MonotonicTime Now() const noexcept { return clock_->Now(); }
  [[nodiscard]] WallTime WallNow() const noexcept { return clock_->WallNow(); }
  // A Term may outlive its elector and executor, so the clock it asks is shared.
  [[nodiscard]] const std::shared_ptr<const Clock>& clock() const noexcept { return clock_; }

 protected:
  explicit Executor(std::shared_ptr<const Clock> clock) : clock_(std::move(clock)) {}

 private:
  const std::shared_ptr<const Clock> clock_;
};

// The real one: one thread that waits on CLOCK_BOOTTIME, so that a resume from suspend fires what is due at once.
// The destructor drops what has not run and waits for the running task; not to be destroyed in one of its own tasks.
class LEADERELECTION_EXPORT EventLoop final : public Executor {
 public:
  EventLoop();
  ~EventLoop() override;

  void Post(Task task) override;
  void PostAt(MonotonicTime time, Task task) override;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace leaderelection

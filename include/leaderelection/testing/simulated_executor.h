// Hours of an election in microseconds, the same every time: an Executor whose time passes only when the test says so.
//
//   auto executor = std::make_shared<SimulatedExecutor>();
//   LeaderElector elector({.lock = lock, .executor = executor, ...});
//   elector.Start();
//   executor->Advance(15s);

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "leaderelection/clock.h"
#include "leaderelection/executor.h"
#include "leaderelection/export.h"

namespace leaderelection::testing {

// Tasks run inside Advance, RunUntil and RunUntilIdle, on the thread that calls them and nowhere else; those due at the
// same time run in the order they were posted. While a task runs, Now() is the time it was due, or later if the
// executor was stalled.
//
// Post, PostAt, Now, WallNow and the counts may be called from any thread; what moves time, from one thread at a time
// and not from inside a task. Tasks that have not run are dropped with the executor.
class LEADERELECTION_EXPORT SimulatedExecutor final : public Executor {
 public:
  // A machine that has been up for an hour, on an ordinary day.
  SimulatedExecutor();
  SimulatedExecutor(MonotonicTime now, WallTime wall_now);
  ~SimulatedExecutor() override;

  void Post(Task task) override;
  void PostAt(MonotonicTime time, Task task) override;

  // Runs what is due now and what that posts for now; time stands still. Each of the three returns how many tasks ran,
  // and throws std::logic_error after a million of them at one moment: something posts itself for ever.
  std::size_t RunUntilIdle();
  // Moves time on to `time`, running each task at its own moment. A time that has passed is now.
  std::size_t RunUntil(MonotonicTime time);
  std::size_t Advance(std::chrono::nanoseconds duration);

  // Time passes and nothing runs: a starved process, SIGSTOP, a suspended machine. What fell due runs late, at the next
  // Advance, RunUntil or RunUntilIdle.
  void Stall(std::chrono::nanoseconds duration);

  // Someone sets the wall clock. It goes on from there, also if it was frozen; Now() is not touched.
  void SetWallTime(WallTime wall_now);
  void StepWallTime(std::chrono::microseconds step);
  // The wall clock stays as it is until it is set.
  void FreezeWallTime();

  // Tasks that have not run, and when the next of them is due.
  [[nodiscard]] std::size_t pending() const;
  [[nodiscard]] std::optional<MonotonicTime> next() const;

 private:
  class Clocks;
  class Agenda;
  explicit SimulatedExecutor(std::shared_ptr<Clocks> clocks);

  const std::shared_ptr<Clocks> clocks_;
  const std::unique_ptr<Agenda> agenda_;
};

}  // namespace leaderelection::testing

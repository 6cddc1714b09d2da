// User code in order, one call at a time, away from the executor's thread.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "leaderelection/executor.h"

namespace leaderelection {

// Runs its tasks on a thread that starts with the first of them, or wherever `run_elsewhere` has them run. Thread-safe.
// A task does not throw.
class CallbackQueue {
 public:
  // `capacity` bounds what waits: beyond it the oldest is dropped, and Push says so.
  CallbackQueue(const char* thread_name, std::function<void(Task)> run_elsewhere, std::size_t capacity);
  // Drops what waits and returns when nothing runs.
  ~CallbackQueue();
  CallbackQueue(const CallbackQueue&) = delete;
  CallbackQueue& operator=(const CallbackQueue&) = delete;

  // False if a task that waited was dropped for this one.
  bool Push(Task task);

  // Runs what waits on the calling thread, after the task that runs elsewhere. False if that takes longer than it has
  // patience for; else nothing waits or runs when it returns.
  [[nodiscard]] bool Finish(std::chrono::seconds patience);

  // Whether the caller is inside one of the tasks.
  [[nodiscard]] bool IsCurrent() const;

 private:
  // Outlives the queue where a task of it is still with `run_elsewhere`.
  struct State {
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::deque<Task> tasks;
    std::thread::id running;  // whose thread runs a task; none: the default id
    bool scheduled = false;   // run_elsewhere has been given Drain and has not finished it
    bool closed = false;
  };

  static void Drain(State& state);
  static void RunNext(State& state, std::unique_lock<std::mutex>& lock);
  static void ServeUntilClosed(State& state);

  const char* const thread_name_;
  const std::function<void(Task)> run_elsewhere_;
  const std::size_t capacity_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::thread thread_;  // guarded by the state's mutex until the destructor
};

}  // namespace leaderelection

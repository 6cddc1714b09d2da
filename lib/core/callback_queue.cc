#include "core/callback_queue.h"

#include <utility>

#include "core/service_thread.h"

namespace leaderelection {

CallbackQueue::CallbackQueue(const char* thread_name, std::function<void(Task)> run_elsewhere, std::size_t capacity)
    : thread_name_(thread_name), run_elsewhere_(std::move(run_elsewhere)), capacity_(capacity) {}

CallbackQueue::~CallbackQueue() {
  std::deque<Task> dropped;  // goes after the lock: what a task has captured may do anything as it goes
  {
    std::unique_lock lock(state_->mutex);
    state_->closed = true;
    dropped.swap(state_->tasks);
    state_->changed.notify_all();
    state_->changed.wait(lock, [this] { return state_->running == std::thread::id(); });
  }
  if (thread_.joinable()) thread_.join();
}

bool CallbackQueue::Push(Task task) {
  Task dropped;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed) return true;
    if (state_->tasks.size() >= capacity_) {
      dropped = std::move(state_->tasks.front());
      state_->tasks.pop_front();
    }
    state_->tasks.push_back(std::move(task));
    if (!run_elsewhere_) {
      if (!thread_.joinable()) {
        thread_ = StartServiceThread(thread_name_, [state = state_] { ServeUntilClosed(*state); });
      }
      state_->changed.notify_all();
      return !dropped;
    }
    if (std::exchange(state_->scheduled, true)) return !dropped;
  }
  run_elsewhere_([state = state_] { Drain(*state); });
  return !dropped;
}

bool CallbackQueue::Finish(std::chrono::seconds patience) {
  std::unique_lock lock(state_->mutex);
  while (state_->changed.wait_for(lock, patience, [this] { return state_->running == std::thread::id(); })) {
    if (state_->tasks.empty()) return true;
    RunNext(*state_, lock);
  }
  return false;
}

bool CallbackQueue::IsCurrent() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running == std::this_thread::get_id();
}

void CallbackQueue::RunNext(State& state, std::unique_lock<std::mutex>& lock) {
  Task task = std::move(state.tasks.front());
  state.tasks.pop_front();
  state.running = std::this_thread::get_id();
  lock.unlock();
  task();
  task = nullptr;
  lock.lock();
  state.running = std::thread::id();
  state.changed.notify_all();
}

void CallbackQueue::Drain(State& state) {
  std::unique_lock lock(state.mutex);
  while (true) {
    state.changed.wait(lock, [&] { return state.running == std::thread::id(); });  // Finish may be running one
    if (state.tasks.empty()) break;
    RunNext(state, lock);
  }
  state.scheduled = false;
}

void CallbackQueue::ServeUntilClosed(State& state) {
  std::unique_lock lock(state.mutex);
  while (!state.closed) {
    if (state.tasks.empty() || state.running != std::thread::id()) {
      state.changed.wait(lock);
    } else {
      RunNext(state, lock);
    }
  }
}

}  // namespace leaderelection

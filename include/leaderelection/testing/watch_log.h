// Writes down what a watch tells.

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "leaderelection/resource_lock.h"

namespace leaderelection::testing {

// Remembers what a watch told, and whether two callbacks ever ran at once.
class WatchLog {
 public:
  explicit WatchLog(std::chrono::seconds patience) : patience_(patience) {}

  // Calls `then` after each event it has noted, still inside the callback.
  std::function<void(WatchEvent)> Recorder(std::function<void(const WatchEvent&)> then = nullptr) {
    return [state = state_, then = std::move(then)](const WatchEvent& event) {
      if (state->inside.exchange(true)) state->overlapped = true;
      {
        std::lock_guard lock(state->mutex);
        state->events.push_back(event);
        state->changed.notify_all();
      }
      if (then) then(event);
      state->inside = false;
    };
  }

  // The first event, from the first one on, that the predicate likes.
  template <class Predicate>
  std::optional<WatchEvent> WaitFor(Predicate likes) const {
    std::unique_lock lock(state_->mutex);
    std::optional<WatchEvent> found;
    state_->changed.wait_for(lock, patience_, [&] {
      const auto event = std::find_if(state_->events.begin(), state_->events.end(), likes);
      if (event != state_->events.end()) found = *event;
      return found.has_value();
    });
    return found;
  }

  std::optional<WatchEvent> WaitForKind(WatchEvent::Kind kind) const {
    return WaitFor([kind](const WatchEvent& event) { return event.kind == kind; });
  }

  // The event of the write that got this order.
  std::optional<WatchEvent> WaitForWrite(std::uint64_t order) const {
    return WaitFor([order](const WatchEvent& event) {
      return event.kind == WatchEvent::Kind::kChanged && event.stored.version.order == order;
    });
  }

  std::vector<WatchEvent> events() const {
    std::lock_guard lock(state_->mutex);
    return state_->events;
  }

  bool overlapped() const { return state_->overlapped; }

  bool OrdersNeverFall() const {
    std::uint64_t last = 0;
    for (const WatchEvent& event : events()) {
      if (event.kind != WatchEvent::Kind::kChanged && event.kind != WatchEvent::Kind::kDeleted) continue;
      if (event.stored.version.order < last) return false;
      last = event.stored.version.order;
    }
    return true;
  }

 private:
  struct State {
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<WatchEvent> events;
    std::atomic<bool> inside = false;
    std::atomic<bool> overlapped = false;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  const std::chrono::seconds patience_;
};

}  // namespace leaderelection::testing

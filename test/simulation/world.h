// True time and everything that is going to happen in it: one queue for all machines, the network and the store.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "simulation/journal.h"
#include "simulation/random.h"

namespace leaderelection::simulation {

class World {
 public:
  using Action = std::function<void()>;  // of two words at most, which std::function keeps without allocating

  World(std::uint64_t seed, std::ostream* trace) : random(seed), journal(trace) { queue_.reserve(256); }

  [[nodiscard]] TrueTime now() const { return now_; }

  // What is due at the same time happens in the order in which it was planned.
  void At(TrueTime time, Action action) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(actions_.size());
      actions_.push_back(std::move(action));
    } else {
      slot = free_.back();
      free_.pop_back();
      actions_[slot] = std::move(action);
    }
    queue_.push_back({std::max(time, now_).count(), ++planned_, slot});
    std::push_heap(queue_.begin(), queue_.end());
  }
  void After(TrueTime delay, Action action) { At(now_ + delay, std::move(action)); }

  // To be done at this very moment, once the present action is over.
  void Soon(Action action) { soon_.push_back(std::move(action)); }

  void RunUntil(TrueTime end) {
    while (!stopped_ && !queue_.empty() && queue_.front().time <= end.count()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Planned planned = queue_.back();
      queue_.pop_back();
      now_ = TrueTime(planned.time);
      const Action action = std::exchange(actions_[planned.slot], nullptr);
      free_.push_back(planned.slot);
      action();
      for (std::size_t next = 0; next < soon_.size(); ++next) Action(std::move(soon_[next]))();
      soon_.clear();
    }
    if (!stopped_) now_ = end;
  }
  // Nothing happens after the present action.
  void Stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

  Random random;
  Journal journal;

 private:
  struct Planned {
    std::int64_t time;
    std::uint64_t number;
    std::uint32_t slot;
    // The heap's top is its greatest: the earliest.
    friend bool operator<(const Planned& a, const Planned& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };

  TrueTime now_{0};
  bool stopped_ = false;
  std::uint64_t planned_ = 0;
  std::vector<Planned> queue_;
  std::vector<Action> actions_;
  std::vector<std::uint32_t> free_;
  std::vector<Action> soon_;
};

}  // namespace leaderelection::simulation

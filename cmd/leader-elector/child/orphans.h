// As the first process of a container, leader-elector inherits processes it never started (of a `kubectl exec`), and
// must see to their ends. It cannot wait for just any child, or it would take from a library of its own what that waits
// for.

#pragma once

#include <sys/types.h>

#include <optional>
#include <set>

#include "leaderelection/clock.h"

namespace leaderelection::command {

// Reaps children that have been dead for a while: whoever started one himself would have seen to it by then.
class Orphans {
 public:
  void OnChildEnded() { look_at_ = look_at_.value_or(BootClock::now() + kWhile); }
  // When to call Look next.
  [[nodiscard]] std::optional<MonotonicTime> next() const { return look_at_; }
  void Look();

 private:
  static constexpr std::chrono::seconds kWhile{5};

  std::optional<MonotonicTime> look_at_;
  std::set<pid_t> dead_;  // at the last look
};

}  // namespace leaderelection::command

// Whose request goes first when a client has more of them than connections.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "leaderelection/clock.h"

namespace leaderelection {

enum class Urgency {
  kBackground,  // nobody waits for it: Events
  kNormal,      // reads, and writes of who wants to lead
  kUrgent,      // writes of who leads
};

// A thousand elections that begin together, or that all lost their watch, would make a thousand connections, and a
// leader's renewal would wait behind all of them. So only some requests are under way at a time. Of those that wait the
// more urgent goes first, and of two alike the one whose deadline is nearer. The less urgent leave some room, so that
// even if each of them hangs until its deadline a renewal does not.
//
// One that has not the time left which an answer takes lately is turned away: where a server is too slow for all, it
// would otherwise be kept busy with what comes too late, and do nobody any good.
//
// Thread-safe; share it by shared_ptr.
class RequestQueue : public std::enable_shared_from_this<RequestQueue> {
 public:
  // A place among those under way; given back when the last copy goes.
  using Place = std::shared_ptr<void>;
  using Begin = std::function<void(Place)>;  // with null it is turned away, and nothing was sent

  explicit RequestQueue(std::function<MonotonicTime()> now = [] { return BootClock::now(); }) : now_(std::move(now)) {}

  // Runs it once there is room: here, or where another gives its place back. Dropped if the queue goes first.
  void Enter(Urgency urgency, MonotonicTime deadline, Begin begin);

 private:
  void Advance();
  void Leave(MonotonicTime begun);
  Place MakePlace();

  const std::function<MonotonicTime()> now_;
  std::mutex mutex_;
  std::size_t under_way_ = 0;
  std::array<std::multimap<MonotonicTime, Begin>, 3> waiting_;  // by urgency, then by deadline
  std::chrono::nanoseconds usual_time_{0};                      // from a place's beginning to its end
};

}  // namespace leaderelection

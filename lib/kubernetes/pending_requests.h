// The continuations of a lock's requests, so that its destructor can drop those that are still waiting.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "leaderelection/error.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// Thread-safe. No continuation is called with the mutex held, for it may use the lock again.
class PendingRequests {
 public:
  std::uint64_t Add(Done<Stored> done) {
    const std::lock_guard lock(mutex_);
    pending_.emplace(++last_, std::move(done));
    return last_;
  }

  // Answers it, unless it was dropped.
  void Complete(std::uint64_t number, Result<Stored> result) {
    std::unique_lock lock(mutex_);
    auto found = pending_.extract(number);
    lock.unlock();
    if (found) std::move(found.mapped())(std::move(result));
  }

  void DropAll() {
    std::map<std::uint64_t, Done<Stored>> dropped;
    {
      const std::lock_guard lock(mutex_);
      dropped.swap(pending_);
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, Done<Stored>> pending_;
  std::uint64_t last_ = 0;
};

}  // namespace leaderelection

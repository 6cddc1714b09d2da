// Until when the command may live: memory that leader-elector and its watcher share, so that a renewal extends the
// command's life by one store, and the watcher reads it however little leader-elector gets to do.

#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <new>
#include <system_error>

#include "leaderelection/clock.h"

namespace leaderelection::command {

class Lifeline {
 public:
  // To be made before the fork.
  Lifeline() {
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    shared_ = new (memory) Shared;
  }
  ~Lifeline() { ::munmap(shared_, sizeof(Shared)); }
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  void Set(MonotonicTime until) noexcept { shared_->until = until.time_since_epoch().count(); }
  [[nodiscard]] MonotonicTime until() const noexcept {
    return MonotonicTime(std::chrono::nanoseconds(shared_->until.load()));
  }

 private:
  struct Shared {
    std::atomic<std::int64_t> until{0};
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free, "it is shared between processes");

  Shared* shared_ = nullptr;
};

}  // namespace leaderelection::command

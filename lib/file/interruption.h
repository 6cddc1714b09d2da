// Ends waits early.

#pragma once

#include <chrono>

#include "file/descriptor.h"

namespace leaderelection {

// Stays raised until it is lowered. Thread-safe.
class Interruption {
 public:
  Interruption();  // throws std::system_error if there are no descriptors left

  void Raise() noexcept;
  void Lower() noexcept;

  // True if raised, at once or meanwhile; false after the time, or before it if a signal is handled.
  [[nodiscard]] bool WaitFor(std::chrono::nanoseconds time) const noexcept;
  // True if raised; false once `descriptor` has something to read.
  [[nodiscard]] bool WaitForReadable(const Descriptor& descriptor) const noexcept;

 private:
  const Descriptor event_;
};

}  // namespace leaderelection

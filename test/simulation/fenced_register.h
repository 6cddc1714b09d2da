// What the leaders' work writes to: a third system that knows the fencing number and refuses whoever comes with a
// lower one than it has seen.

#pragma once

#include <cstddef>
#include <cstdint>

namespace leaderelection::simulation {

class FencedRegister {
 public:
  bool Write(std::uint64_t number) {
    if (number < highest_) return false;
    highest_ = number;
    return true;
  }

 private:
  std::uint64_t highest_ = 0;
};

}  // namespace leaderelection::simulation

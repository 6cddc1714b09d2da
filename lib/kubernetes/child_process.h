// A program run for its output, with an end in sight.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"

namespace leaderelection {

struct ChildProcess {
  std::string command;  // found by PATH if it has no slash
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // NAME=value, in addition to ours and before it
  std::size_t largest_output = 0;
};

// What it wrote to its standard output. Its input is empty and its standard error goes nowhere. kUnknown, saying what
// happened, if it does not start, does not end well, writes too much, or has not ended at the deadline or when
// `interruption` becomes readable. It leads a process group of its own, which is killed as a whole.
[[nodiscard]] Result<std::string> RunChild(const ChildProcess& child, MonotonicTime deadline, int interruption);

}  // namespace leaderelection

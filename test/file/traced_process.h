// A process that is run from system call to system call.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "file/other_process.h"

namespace leaderelection::testing {

// Stopped before and after each system call. A process changes files by system calls only, so one that is killed at
// each of these stops has been killed at every instruction as far as files can tell.
class TracedProcess {
 public:
  struct Call {
    long number = 0;
    std::uint64_t first_argument = 0;
  };

  // The command must ask for it: ptrace(PTRACE_TRACEME), then stop.
  explicit TracedProcess(std::vector<std::string> arguments) : process_(std::move(arguments)) {}

  // False, for a reason to skip the test, if the machine does not let us trace.
  [[nodiscard]] bool Begin();
  // Lets it run to the next stop; false if it has ended.
  [[nodiscard]] bool Step();
  // The call it is about to make; nothing if it has just made one.
  [[nodiscard]] std::optional<Call> AboutToCall() const;
  void Kill() { process_.Kill(); }

 private:
  OtherProcess process_;
};

}  // namespace leaderelection::testing

#include "file/traced_process.h"

#include <sys/ptrace.h>

namespace leaderelection::testing {

bool TracedProcess::Begin() {
  return process_.WaitForStop() &&
         ::ptrace(PTRACE_SETOPTIONS, process_.id(), nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0;
}

bool TracedProcess::Step() {
  return ::ptrace(PTRACE_SYSCALL, process_.id(), nullptr, nullptr) == 0 && process_.WaitForStop();
}

std::optional<TracedProcess::Call> TracedProcess::AboutToCall() const {
  __ptrace_syscall_info info{};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, process_.id(), sizeof info, &info) <= 0) return std::nullopt;
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return std::nullopt;
  return Call{static_cast<long>(info.entry.nr), info.entry.args[0]};
}

}  // namespace leaderelection::testing

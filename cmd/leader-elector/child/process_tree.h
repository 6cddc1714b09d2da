// The processes below one, as /proc tells.

#pragma once

#include <sys/types.h>

#include <vector>

namespace leaderelection::command {

struct ProcessEntry {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
  bool dead = false;  // and not yet reaped
};

// All that descend from `root`, itself not included, parents before children. Those whose parent has died are still
// below the nearest subreaper (PR_SET_CHILD_SUBREAPER) that they had, whatever group or session they have moved to.
[[nodiscard]] std::vector<ProcessEntry> Descendants(pid_t root);

// Those children of `parent` that nobody has reaped yet.
[[nodiscard]] std::vector<pid_t> DeadChildren(pid_t parent);

// Sends the signal to each of them. One that starts a process at the same moment may leave it unsignalled: repeat until
// there are none. True if there were any.
bool SignalDescendants(pid_t root, int signal);

}  // namespace leaderelection::command

#include "child/orphans.h"

#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "child/process_tree.h"

namespace leaderelection::command {

void Orphans::Look() {
  if (!look_at_ || BootClock::now() < *look_at_) return;
  const std::set<pid_t> before = std::exchange(dead_, {});
  for (pid_t id : DeadChildren(::getpid())) {
    if (before.contains(id)) {
      ::waitpid(id, nullptr, WNOHANG);
    } else {
      dead_.insert(id);
    }
  }
  look_at_.reset();
  if (!dead_.empty()) OnChildEnded();
}

}  // namespace leaderelection::command

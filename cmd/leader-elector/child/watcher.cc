#include "child/watcher.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace leaderelection::command {

Watcher::Watcher(const std::vector<std::string>& command, std::chrono::milliseconds grace, const Lifeline& lifeline) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  Descriptor ours(ends[0], "socketpair");
  Descriptor its(ends[1], "socketpair");
  id_ = ::fork();
  if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (id_ == 0) {
    ours.Close();
    // A session of its own: a Ctrl-C in the terminal, or a signal to our group, is ours to handle, not its.
    ::setsid();
    ::prctl(PR_SET_NAME, "le-watcher");
    try {
      Watch(its.number(), command, grace, lifeline);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  socket_ = std::move(ours);
}

Watcher::~Watcher() {
  socket_.Close();
  if (id_ > 0) ::waitpid(id_, nullptr, 0);
}

}  // namespace leaderelection::command

// A process of the test's, to be killed.

#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace leaderelection::testing {

class Child {
 public:
  // A shell that is to `exec` the program, so that the process is the program.
  explicit Child(const std::string& command) : id_(::fork()) {
    if (id_ < 0) throw std::runtime_error("no process to be had");
    if (id_ == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~Child() { End(SIGKILL); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Signal(int signal) const {
    if (id_ > 0) ::kill(id_, signal);
  }
  // Returns when the process has ended; gives its status as waitpid does.
  int End(int signal) {
    int status = 0;
    if (id_ <= 0) return status;
    ::kill(id_, signal);
    ::waitpid(id_, &status, 0);
    id_ = 0;
    return status;
  }

 private:
  pid_t id_;
};

}  // namespace leaderelection::testing

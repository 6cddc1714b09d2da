// Another process, for tests of what one does to another.

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "file/descriptor.h"

namespace leaderelection::testing {

// Runs the program of file_process.cc. Killed when it goes, if it has not ended.
class OtherProcess {
 public:
  explicit OtherProcess(std::vector<std::string> arguments);
  ~OtherProcess();
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  pid_t id() const { return id_; }

  // The next line that it prints; nothing once it has ended.
  std::optional<std::string> ReadLine();

  void Send(int signal) const;
  // Waits until it has stopped; false if it ended instead.
  [[nodiscard]] bool WaitForStop();
  // Waits for its end; its exit code, or minus the signal that ended it.
  int WaitForEnd();
  void Kill();

 private:
  Descriptor output_;
  std::string unread_;
  pid_t id_ = 0;
  std::optional<int> ended_;
};

// Runs it to its end and gives its first line.
std::string FirstLineOf(std::vector<std::string> arguments);

}  // namespace leaderelection::testing

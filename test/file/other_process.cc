#include "file/other_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

extern char** environ;

namespace leaderelection::testing {
namespace {

std::pair<Descriptor, Descriptor> Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

pid_t Spawn(std::vector<std::string> arguments, const Descriptor& output) {
  arguments.insert(arguments.begin(), FILE_PROCESS_PROGRAM);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output.number(), STDOUT_FILENO);
  pid_t id = 0;
  const int failed = ::posix_spawn(&id, words.front(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed) throw std::system_error(failed, std::generic_category(), arguments.front());
  return id;
}

int Wait(pid_t id, int options) {
  int status = 0;
  while (::waitpid(id, &status, options) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  return status;
}

int ToExitCode(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

}  // namespace

OtherProcess::OtherProcess(std::vector<std::string> arguments) {
  auto [read_end, write_end] = Pipe();
  id_ = Spawn(std::move(arguments), write_end);
  output_ = std::move(read_end);
}

OtherProcess::~OtherProcess() {
  if (!ended_) Kill();
}

std::optional<std::string> OtherProcess::ReadLine() {
  while (true) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> piece;
    const ssize_t size = ::read(output_.number(), piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::nullopt;
    unread_.append(piece.data(), static_cast<std::size_t>(size));
  }
}

void OtherProcess::Send(int signal) const { ::kill(id_, signal); }

bool OtherProcess::WaitForStop() {
  const int status = Wait(id_, WUNTRACED);
  if (WIFSTOPPED(status)) return true;
  ended_ = ToExitCode(status);
  return false;
}

int OtherProcess::WaitForEnd() {
  if (!ended_) ended_ = ToExitCode(Wait(id_, 0));
  return *ended_;
}

void OtherProcess::Kill() {
  Send(SIGKILL);
  WaitForEnd();
}

std::string FirstLineOf(std::vector<std::string> arguments) {
  OtherProcess process(std::move(arguments));
  const auto line = process.ReadLine();
  const int code = process.WaitForEnd();
  if (code != 0) throw std::runtime_error("the other process ended with " + std::to_string(code));
  return line.value_or("");
}

}  // namespace leaderelection::testing

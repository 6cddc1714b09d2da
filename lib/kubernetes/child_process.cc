#include "kubernetes/child_process.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

namespace leaderelection {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void Reset(int number) {
    Close();
    number_ = number;
  }
  void Close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

Error Failed(std::string message) { return {ErrorCode::kUnknown, std::move(message), std::nullopt}; }

std::string_view NameOf(std::string_view variable) { return variable.substr(0, variable.find('=')); }

// Ours with the child's own in the place of those of the same name.
std::vector<char*> EnvironmentOf(const ChildProcess& child) {
  std::vector<char*> all;
  for (const std::string& own : child.environment) all.push_back(const_cast<char*>(own.c_str()));
  for (char** entry = environ; *entry; ++entry) {
    const auto is_same = [entry](const std::string& own) { return NameOf(own) == NameOf(*entry); };
    if (std::none_of(child.environment.begin(), child.environment.end(), is_same)) all.push_back(*entry);
  }
  all.push_back(nullptr);
  return all;
}

std::vector<char*> ArgumentsOf(const ChildProcess& child) {
  std::vector<char*> all{const_cast<char*>(child.command.c_str())};
  for (const std::string& argument : child.arguments) all.push_back(const_cast<char*>(argument.c_str()));
  all.push_back(nullptr);
  return all;
}

// Signals that this thread blocks or the program ignores are the child's to have.
int Spawn(const ChildProcess& child, int output, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int error = ::posix_spawnp(&pid, child.command.c_str(), &files, &attributes, ArgumentsOf(child).data(),
                                   EnvironmentOf(child).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

int MillisecondsUntil(MonotonicTime deadline) {
  if (deadline == kNever) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - BootClock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

// Takes what is there to be read; false at the end or if it is too much.
bool ReadAvailable(int from, std::size_t largest, std::string& output) {
  char bytes[4096];
  while (output.size() <= largest) {
    const ssize_t size = ::read(from, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) return false;
    output.append(bytes, static_cast<std::size_t>(size));
    OPENSSL_cleanse(bytes, sizeof bytes);
  }
  return false;
}

// Waits until the child has ended, reading along. What its own children still hold open is not waited for.
Status Follow(int child, int output, int interruption, const ChildProcess& wish, MonotonicTime deadline,
              std::string& text) {
  bool is_open = true;
  for (;;) {
    pollfd waits[] = {{child, POLLIN, 0}, {interruption, POLLIN, 0}, {is_open ? output : -1, POLLIN, 0}};
    const int ready = ::poll(waits, 3, MillisecondsUntil(deadline));
    if (ready < 0 && errno != EINTR) return Failed("cannot be waited for: " + std::generic_category().message(errno));
    if (ready < 0) continue;
    if (waits[1].revents != 0) return Failed("was broken off");
    if (waits[2].revents != 0) is_open = ReadAvailable(output, wish.largest_output, text);
    if (text.size() > wish.largest_output) return Failed("writes too much");
    if (waits[0].revents != 0) {
      ReadAvailable(output, wish.largest_output, text);
      return std::monostate();
    }
    if (BootClock::now() >= deadline) return Failed("has not ended in time");
  }
}

}  // namespace

Result<std::string> RunChild(const ChildProcess& child, MonotonicTime deadline, int interruption) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return Failed("cannot be started: " + std::generic_category().message(errno));
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  pid_t pid = 0;
  if (const int error = Spawn(child, input.get(), pid); error != 0) {
    return Failed("cannot be started: " + std::generic_category().message(error));
  }
  input.Close();
  std::string text;
  Status followed = std::monostate();
  {
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    followed = process.get() < 0 ? Failed("cannot be waited for: " + std::generic_category().message(errno))
                                 : Follow(process.get(), output.get(), interruption, child, deadline, text);
  }
  if (!followed) ::kill(-pid, SIGKILL);
  int status = 0;
  // Fails only where the program ignores SIGCHLD, and then nobody knows how it ended.
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!followed) return followed.error();
  if (WIFSIGNALED(status)) return Failed("was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return Failed("ended with exit code " + std::to_string(WEXITSTATUS(status)));
  return text;
}

}  // namespace leaderelection

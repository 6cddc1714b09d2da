#include "command/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace leaderelection::command {

using namespace std::chrono_literals;

namespace {

constexpr auto kPatience = 30s;

std::string Contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// State and parent of a process; nothing if there is none.
struct Stat {
  char state = 'X';
  pid_t parent = 0;
};
Stat StatOf(pid_t process) {
  const std::string line = Contents("/proc/" + std::to_string(process) + "/stat");
  Stat stat;
  if (const std::size_t end = line.rfind(')'); end != std::string::npos) {
    std::sscanf(line.c_str() + end + 1, " %c %d", &stat.state, &stat.parent);
  }
  return stat;
}

}  // namespace

Folder::Folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "leader-elector-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Program::Program(std::vector<std::string> words, const std::filesystem::path& output) : output_(output) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  const int error = ::posix_spawnp(&id_, arguments.front(), &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), words.front());
}

Program::~Program() {
  if (code_) return;
  Signal(SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void Program::Signal(int signal) const {
  if (!code_) ::kill(id_, signal);
}

int Program::Wait() {
  int status = 0;
  if (!code_ && Eventually([&] { return ::waitpid(id_, &status, WNOHANG) == id_; })) {
    code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return code_.value_or(-1);
}

std::string Program::Output() const { return Contents(output_); }

pid_t Program::Watcher() const {
  pid_t found = -1;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process > 0 && StatOf(process).parent == id_) found = process;
  }
  return found;
}

std::vector<Event> ReadEvents(const std::filesystem::path& file) {
  std::vector<Event> events;
  std::istringstream lines(Contents(file));
  for (Event event; lines >> event.name >> event.what >> event.time >> event.process >> event.token;) {
    events.push_back(event);
  }
  return events;
}

bool Eventually(const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    ::poll(nullptr, 0, 10);
  }
  return true;
}

bool IsAlive(pid_t process) {
  const char state = StatOf(process).state;
  return state != 'X' && state != 'Z';
}

}  // namespace leaderelection::command

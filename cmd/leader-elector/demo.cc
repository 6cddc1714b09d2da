#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <ostream>
#include <system_error>

#include "commands.h"
#include "leaderelection/file_lock.h"
#include "leaderelection/leader_elector.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

using namespace std::chrono_literals;

// A folder that goes with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "leader-elector-demo-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// This program once more, as a candidate; killed when it goes.
class Candidate {
 public:
  Candidate(const std::string& identity, const std::string& file) {
    const std::string work =
        "echo \"            $LEADER_ELECTION_IDENTITY works, with fencing number $LEADER_ELECTION_FENCING_TOKEN\"; "
        "exec sleep 1000";
    std::vector<std::string> words = {"leader-elector",
                                      "run",
                                      "--lock=file",
                                      "--lock-file=" + file,
                                      "--identity=" + identity,
                                      "--lease-duration=3s",
                                      "--renew-deadline=2s",
                                      "--retry-period=500ms",
                                      "--",
                                      "sh",
                                      "-c",
                                      work};
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // a Ctrl-C is for the demo
    const int error = ::posix_spawn(&id_, "/proc/self/exe", &files, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start a candidate");
  }
  ~Candidate() {
    Signal(SIGTERM);
    ::waitpid(id_, nullptr, 0);
  }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  void Signal(int signal) const { ::kill(id_, signal); }  // not reaped yet, so it is no other process

 private:
  pid_t id_ = -1;
};

// Follows who leads, and waits for news.
class Audience {
 public:
  Audience(const std::string& file, std::stop_token stop)
      : stop_(std::move(stop)),
        elector_({.lock = std::make_shared<FileLock>(file),
                  .callbacks = {.on_new_leader = [this](const std::string& identity) { OnLeader(identity); }},
                  .observe_only = true}) {
    elector_.Start();
  }
  ~Audience() { elector_.Stop(); }

  // Another leader than `than`. Throws if none comes.
  std::string AwaitLeader(const std::string& than) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop_, 60s, [&] { return !leader_.empty() && leader_ != than; });
    if (leader_.empty() || leader_ == than) throw std::runtime_error("the demo was ended before a leader was seen");
    return leader_;
  }
  void Watch(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop_, time, [] { return false; });
    if (stop_.stop_requested()) throw std::runtime_error("the demo was ended");
  }

 private:
  void OnLeader(const std::string& identity) {
    const std::lock_guard lock(mutex_);
    leader_ = identity;
    changed_.notify_all();
  }

  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string leader_;
  LeaderElector elector_;
};

class Narrator {
 public:
  explicit Narrator(std::ostream& out) : out_(out) {}

  void Tell(const std::string& text) {
    std::array<char, 32> time{};
    std::snprintf(time.data(), time.size(), "%7.3f s  ", Seconds(start_));
    out_ << time.data() << text << std::endl;
  }
  void Mark() { mark_ = BootClock::now(); }
  [[nodiscard]] std::string SinceMark() const {
    std::array<char, 32> time{};
    std::snprintf(time.data(), time.size(), "%.3f s", Seconds(mark_));
    return time.data();
  }

 private:
  static double Seconds(MonotonicTime since) { return std::chrono::duration<double>(BootClock::now() - since).count(); }

  std::ostream& out_;
  const MonotonicTime start_ = BootClock::now();
  MonotonicTime mark_ = start_;
};

}  // namespace

int Demo(std::ostream& out) {
  const StopOnSignals stop({SIGINT, SIGTERM});
  const TemporaryFolder folder;
  const std::string file = folder.path() / "leader";
  Narrator narrator(out);
  narrator.Tell("a, b and c stand for one file: lease 3 s, renew deadline 2 s");
  std::map<std::string, Candidate> candidates;
  for (const char* identity : {"a", "b", "c"}) {
    candidates.try_emplace(identity, identity, file);
  }
  Audience audience(file, stop);

  const std::string first = audience.AwaitLeader("");
  narrator.Tell(first + " leads");
  audience.Watch(2s);

  narrator.Mark();
  candidates.at(first).Signal(SIGKILL);
  narrator.Tell("kill -9 " + first + ": its watcher ends the work, nobody frees the lock");
  const std::string second = audience.AwaitLeader(first);
  narrator.Tell(second + " leads, " + narrator.SinceMark() + " after the kill, when the lease had run out");
  audience.Watch(2s);

  narrator.Mark();
  candidates.at(second).Signal(SIGTERM);
  narrator.Tell("kill -TERM " + second + ": it ends the work, frees the lock and exits");
  const std::string third = audience.AwaitLeader(second);
  narrator.Tell(third + " leads, " + narrator.SinceMark() + " after the signal");
  audience.Watch(1s);
  narrator.Tell("that is all");
  return 0;
}

}  // namespace leaderelection::command

// leader-elector as a process, and what its commands have written.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace leaderelection::command {

// Goes with its contents.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Killed, if it still runs, when it goes.
class Program {
 public:
  // Its output and errors go to the file `output`.
  Program(std::vector<std::string> words, const std::filesystem::path& output);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Signal(int signal) const;
  // The exit code, 128 + N for signal N; -1 if it does not exit within half a minute.
  int Wait();
  // What it has written so far.
  [[nodiscard]] std::string Output() const;
  [[nodiscard]] pid_t id() const { return id_; }
  // The watcher below a `leader-elector run`.
  [[nodiscard]] pid_t Watcher() const;

 private:
  const std::filesystem::path output_;
  pid_t id_ = -1;
  std::optional<int> code_;
};

struct Event {
  std::string name;
  std::string what;
  std::int64_t time = 0;
  pid_t process = 0;
  std::uint64_t token = 0;
};

// What all commands have written to the file, in the order of their writes.
[[nodiscard]] std::vector<Event> ReadEvents(const std::filesystem::path& file);

// Polls until it holds, half a minute at most; whether it did.
[[nodiscard]] bool Eventually(const std::function<bool()>& condition);

[[nodiscard]] bool IsAlive(pid_t process);

}  // namespace leaderelection::command

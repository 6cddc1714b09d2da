// The record of an election in a file, behind compare-and-swap.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "file/file_system.h"
#include "file/folder.h"
#include "file/interruption.h"
#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

[[nodiscard]] inline WallTime MachineWallTime() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

// Beside `path` there are `path`.lock, whose flock gives a writer its turn, and for moments `path`.lock.new, the draft
// that becomes the record. All members may be called concurrently; Create and Update block until the deadline at most,
// apart from what the disk takes.
class RecordFile {
 public:
  struct Host {
    std::function<WallTime()> wall_now = MachineWallTime;
    FileSystemTypeFunction file_system_type = FileSystemType;
  };

  // Throws std::invalid_argument if the path has no file name or holds a zero byte, which would end it early.
  explicit RecordFile(const std::filesystem::path& path) : RecordFile(path, Host()) {}
  RecordFile(const std::filesystem::path& path, Host host);

  // Takes no turn, and so does not wait for one who was stopped in his: a file once it bears the name is never written
  // to again, so opening it picks one whole record, the last one that was put in place.
  [[nodiscard]] Result<Stored> Read();
  [[nodiscard]] Result<Stored> Create(MonotonicTime deadline, const Record& record);
  [[nodiscard]] Result<Stored> Update(MonotonicTime deadline, const Record& record, const Version& expected);

  // The highest order that came by here, in either direction. A record that is found absent was deleted one above what
  // this was before the look; NextOrder leaves that number free.
  [[nodiscard]] std::uint64_t highest_seen() const { return highest_seen_; }

  // Whoever waits for his turn gives up, now and from now on.
  void Interrupt() noexcept { interruption_.Raise(); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[nodiscard]] Result<Stored> ReadIn(const Folder& folder);
  // Null is the version of a record that is absent.
  [[nodiscard]] Result<Stored> CompareAndSwap(MonotonicTime deadline, const Record& record, const Version* expected);
  [[nodiscard]] Result<Stored> Put(const Folder& folder, const std::function<Status()>& may_replace,
                                   const Record& record, std::uint64_t order);
  [[nodiscard]] std::uint64_t NextOrder(bool absent) const;
  void Saw(std::uint64_t order);

  const std::filesystem::path path_;
  const std::string name_;
  const Host host_;
  Interruption interruption_;
  std::atomic<std::uint64_t> highest_seen_{0};
};

}  // namespace leaderelection

// An election among the processes of one host, on a file: nothing to install, nothing to connect to.

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "leaderelection/export.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

class BlockingLock;
class FileWatches;
class RecordFile;

// The record is JSON in `path`, replaced as a whole by rename, so that kill -9 at any instruction leaves the old record
// or the new one. Writers take turns by flock on `path`.lock, which is never renamed or removed; a process that is
// stopped while it has its turn stalls the others' writes, safely, until it goes on or dies, but not their reads.
// Followers are woken by inotify. `path`.lock.new is there while a record is being written; what else has that name is
// removed.
//
// Limits: one host only. File systems whose flock or rename other hosts see late or never (NFS, SMB, FUSE and the like)
// are refused (kInvalid). What holds no record of an election is reported (kCorrupt) and never overwritten, be it
// another program's file, a directory or a symbolic link. The fencing number is at least the wall clock's microseconds,
// so it keeps rising when the file is deleted; it may fall only if the file is deleted *and* the clock is set back and
// nobody who saw the old number stands.
//
// Who may write to the folder may stand; who may read `path`.lock can stall the election. Where users do not trust each
// other, keep the folder to one of them. A folder that is missing is kInvalid, one that may not be written kDenied.
//
// Thread-safe; has one thread of its own for requests, which are answered in their order, and with the first watch one
// for all watches. Neither lets a descriptor pass to programs that the process starts. Not to be destroyed inside one
// of its own answers or watch callbacks: that terminates with a message.
class LEADERELECTION_EXPORT FileLock final : public ResourceLock {
 public:
  // Throws std::invalid_argument if the path is empty, has no file name or holds a zero byte. A relative one is
  // relative to the working directory now. The folder must exist when it is used; symbolic links on the way to it are
  // followed.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock() override;

  void Get(MonotonicTime deadline, Done<Stored> done) override;
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override;
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override;
  [[nodiscard]] std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) override;
  [[nodiscard]] std::string Describe() const override;

 private:
  const std::shared_ptr<RecordFile> file_;
  const std::unique_ptr<BlockingLock> requests_;
  const std::unique_ptr<FileWatches> watches_;
};

}  // namespace leaderelection

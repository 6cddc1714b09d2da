#include "file/turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "file/system_error.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

// A turn lasts as long as two syncs of a disk. Trying is cheap, so the first pauses are short.
constexpr std::chrono::nanoseconds kFirstPause = 200us;
constexpr std::chrono::nanoseconds kLongestPause = 10ms;

// For reading only: flock asks no more, and so candidates of several users can share a folder. One that exists is not
// opened with O_CREAT, which the kernel may refuse for another user's file in a folder like /tmp.
Descriptor OpenOrCreate(const Folder& folder, const std::string& name) {
  Descriptor file = folder.OpenFile(name, O_RDONLY);
  if (!file && errno == ENOENT) file = folder.OpenFile(name, O_RDONLY | O_CREAT);
  return file;
}

}  // namespace

Result<Turn> Turn::Take(const Folder& folder, const std::string& name, MonotonicTime deadline,
                        const Interruption& interruption) {
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    Descriptor file = OpenOrCreate(folder, name);
    if (!file) return SystemError(errno, "open", folder.path() / name);
    if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) {
      Turn turn(std::move(file), name);
      if (turn.IsAlone(folder)) return turn;
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      return SystemError(errno, "lock", folder.path() / name);
    }
    const MonotonicTime now = BootClock::now();
    if (now >= deadline) {
      return {ErrorCode::kTimeout, "another process has " + (folder.path() / name).string() + " locked"};
    }
    if (interruption.WaitFor(std::min(pause, deadline - now))) {
      return {ErrorCode::kUnknown, "interrupted while waiting for " + (folder.path() / name).string()};
    }
  }
}

bool Turn::IsAlone(const Folder& folder) const {
  struct stat held {};
  struct stat named {};
  return ::fstat(file_.number(), &held) == 0 && ::fstatat(folder.descriptor(), name_.c_str(), &named, 0) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

// Closing would not do: a child that was forked meanwhile shares the open file, and would keep the flock.
Turn::~Turn() {
  if (file_) ::flock(file_.number(), LOCK_UN);
}

}  // namespace leaderelection

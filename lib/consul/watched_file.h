// Notices that a file has changed, by what the file system says of it.

#pragma once

#include <sys/stat.h>

#include <string>
#include <tuple>
#include <utility>

namespace leaderelection::consul {

class WatchedFile {
 public:
  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  // Whether it is not the file it was at the last call; true at the first one. A rename over it, as secrets are
  // replaced, changes the inode even within one tick of the clock.
  bool HasChanged() {
    struct ::stat now {};
    if (path_.empty() || ::stat(path_.c_str(), &now) != 0) now = {};
    const Stamp stamp(now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec);
    const bool changed = !looked_ || stamp != stamp_;
    looked_ = true;
    stamp_ = stamp;
    return changed;
  }

 private:
  using Stamp = std::tuple<dev_t, ino_t, off_t, time_t, long>;

  const std::string path_;
  bool looked_ = false;
  Stamp stamp_;
};

}  // namespace leaderelection::consul

// Small files as a whole, and whether they have changed since.

#pragma once

#include <sys/stat.h>

#include <compare>
#include <cstdint>
#include <string>

#include "leaderelection/error.h"

namespace leaderelection {

// kInvalid with the cause ("cannot read the token file /x: No such file or directory"); the content is never quoted.
// The error's code is kNotFound if there is no such file.
[[nodiscard]] Result<std::string> ReadSmallFile(const std::string& what, const std::string& path);

// Differs once a file was replaced, by rename or symbolic link, or written to. All zero if there is none.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;

  friend auto operator<=>(const FileStamp&, const FileStamp&) = default;
};

[[nodiscard]] FileStamp StampOf(const std::string& path);

}  // namespace leaderelection

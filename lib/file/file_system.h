// Which file systems an election must not be held on.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace leaderelection {

// The name of a file system, by statfs' f_type, on which other hosts may see a flock or a rename late or never, or
// whose rules some program makes (FUSE). Nothing for local ones and those not known.
[[nodiscard]] std::optional<std::string_view> SharedFileSystem(std::uint32_t type);

// The f_type of the file system that an open file is on; nothing, with errno set, if it cannot be had.
[[nodiscard]] std::optional<std::uint32_t> FileSystemType(int descriptor);

using FileSystemTypeFunction = std::function<std::optional<std::uint32_t>(int descriptor)>;

}  // namespace leaderelection

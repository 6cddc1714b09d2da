// What the system refuses, in the words of a lock.

#pragma once

#include <filesystem>
#include <string_view>

#include "leaderelection/error.h"

namespace leaderelection {

// "cannot open /run/demo/leader: Permission denied". `number` is an errno. A missing folder is kInvalid, not kNotFound:
// it must not be taken for a record that is absent.
[[nodiscard]] Error SystemError(int number, std::string_view action, const std::filesystem::path& path);

}  // namespace leaderelection

// Durations as people write them: 15s, 500ms, 1m30s.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace leaderelection::command {

// Throws UsageError, beginning with `source`, for anything else; a number without a unit is told which to add.
[[nodiscard]] std::chrono::milliseconds ParseDuration(std::string_view text, const std::string& source);

[[nodiscard]] std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace leaderelection::command

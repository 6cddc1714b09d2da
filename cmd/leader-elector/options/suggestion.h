// "did you mean ...": the nearest of the names that exist.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leaderelection::command {

// "; did you mean 'x'?", or nothing if no name is near.
[[nodiscard]] std::string Suggestion(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace leaderelection::command

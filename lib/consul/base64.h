// Values of the KV store travel as base64.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leaderelection::consul {

[[nodiscard]] std::string ToBase64(std::string_view bytes);

// Nothing if it is not base64 with its padding.
[[nodiscard]] std::optional<std::string> FromBase64(std::string_view text);

}  // namespace leaderelection::consul

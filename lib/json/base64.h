// Bytes as text (RFC 4648, section 4), as JSON and YAML carry them.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leaderelection {

[[nodiscard]] std::string EncodeBase64(std::string_view bytes);

// Strict: only what EncodeBase64 may have written, so that no two texts mean the same bytes. Nothing otherwise.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace leaderelection

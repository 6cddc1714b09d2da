// The encoding of the "...-data" fields of a kubeconfig.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leaderelection {

// Standard alphabet; white space is passed over. Nothing if it is anything else.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);
[[nodiscard]] std::string EncodeBase64(std::string_view bytes);

}  // namespace leaderelection

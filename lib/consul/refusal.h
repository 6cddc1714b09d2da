// What an answer that is not the one hoped for means.

#pragma once

#include <string>
#include <string_view>

#include "http/client.h"
#include "leaderelection/error.h"

namespace leaderelection::consul {

// For every status but 2xx, and but 404 where that is an answer. `action` is what was tried: "read the key". The text
// of the server is quoted, shortened and in one line.
[[nodiscard]] Error Refusal(const std::string& action, const http::Response& response);

// Whether a server's words say that the token does not do.
[[nodiscard]] bool SaysDenied(std::string_view text);

// At most a few hundred printable characters of a server's words.
[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace leaderelection::consul

// Addresses as people write them.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/endpoint.h"

namespace leaderelection::redis {

// "redis.example:6379", "[::1]:6379"; without a port, the one given. Nothing if it is neither.
[[nodiscard]] std::optional<net::Endpoint> ParseEndpoint(std::string_view text, std::uint16_t default_port);

// A whole number without sign or blanks, in the range. Nothing otherwise.
[[nodiscard]] std::optional<int> ParseNumber(std::string_view text, int smallest, int largest);

// Nothing if a % is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> PercentDecode(std::string_view text);

}  // namespace leaderelection::redis

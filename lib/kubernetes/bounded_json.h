// JSON from a stranger: bounded in size and depth, and never quoted in an error.

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "leaderelection/error.h"

namespace leaderelection {

using Json = nlohmann::json;

// etcd takes objects of up to 1.5 MiB.
inline constexpr std::size_t kLargestJson = 2UL << 20;
inline constexpr int kDeepestJson = 64;

// kCorrupt, saying where but not what, if it is no JSON or goes beyond a bound.
[[nodiscard]] Result<Json> ParseBoundedJson(std::string_view text, std::size_t largest = kLargestJson);

// The string at this key; empty if there is none or `object` is no object.
[[nodiscard]] std::string TextAt(const Json& object, const char* key);

// For messages: at most so many characters of a stranger's text, on one line.
[[nodiscard]] std::string Excerpt(std::string_view text, std::size_t longest);

}  // namespace leaderelection

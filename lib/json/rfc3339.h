// Times as text, the way a Lease and our own JSON store them: 2025-11-18T08:46:00.000000Z.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "leaderelection/clock.h"

namespace leaderelection {

// UTC with exactly six fraction digits; nothing if the year is not one of 0001 to 9999.
[[nodiscard]] std::optional<std::string> FormatRfc3339(WallTime time);

// Reads zero to nine fraction digits, cut to microseconds, and Z or a numeric offset. As strict as Go's reader, so both
// take the same times: upper-case T and Z only, no leap second, and an instant that FormatRfc3339 can write again.
[[nodiscard]] std::optional<WallTime> ParseRfc3339(std::string_view text);

}  // namespace leaderelection

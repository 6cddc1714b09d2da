// The rule that makes a leader's late write harmless: each ConfigMap carries the number of the term that wrote its
// status, and no term writes where a larger one has.
//
// The server does not know the rule, but it compares versions: a write is made against the version that was judged, so
// between judging and writing nothing can change. A new leader writes its number to every ConfigMap, also where the
// status is right already; from then on whatever an earlier leader has under way is refused.

#pragma once

#include <cstdint>

#include "config_map.h"

namespace example_operator {

inline constexpr const char* kChecksumKey = "example.leaderelection/checksum";
inline constexpr const char* kNumberKey = "example.leaderelection/fencing-token";

enum class Verdict {
  kWrite,        // the status is missing, out of date, or of an earlier term
  kUpToDate,     // this term has written it
  kNewerLeader,  // a later term has been here: hands off
  kUnreadable,   // the number is none: hands off too, until someone removes it
};

[[nodiscard]] Verdict Judge(const ConfigMap& map, const std::string& checksum, std::uint64_t fencing_token);

}  // namespace example_operator

// Who leads, as far as this candidate has seen.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "leaderelection/clock.h"
#include "leaderelection/record.h"

namespace leaderelection {

// The times are the leader's own wall clock's: for people, not for comparing.
struct LeaderInfo {
  std::string identity;  // never empty
  WallTime acquired_at{};
  WallTime renewed_at{};
  std::chrono::milliseconds lease_duration{0};
  // What was left of the lease when this was asked for, as counted here since the last renewal was seen; not below
  // zero.
  std::chrono::milliseconds time_to_expiry{0};
  std::int64_t transitions = 0;
  Metadata metadata;
};

struct LeaderChange {
  std::optional<LeaderInfo> current;   // none: nobody leads, the lock was released or deleted
  std::optional<LeaderInfo> previous;  // none: the first sighting, or nobody led before
};

}  // namespace leaderelection

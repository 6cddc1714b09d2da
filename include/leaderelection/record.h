// The record that candidates compete for: one per election, in whatever form the backend stores it.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "leaderelection/clock.h"

namespace leaderelection {

using Metadata = std::map<std::string, std::string>;

struct Record {
  std::string holder_identity;                  // empty: released, nobody holds it
  std::chrono::milliseconds lease_duration{0};  // how long others wait after they saw the last change
  WallTime acquire_time{};                      // when the holder's term began, by the holder's wall clock
  WallTime renew_time{};                        // differs in every record written; its change is the sign of life
  std::int64_t transitions = 0;                 // changes of holder so far
  Metadata metadata;                            // the holder's own; no rule of the election reads it

  friend bool operator==(const Record&, const Record&) = default;
};

}  // namespace leaderelection

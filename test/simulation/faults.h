// Everything that may go wrong, how often it does in one schedule, and how often it did.

#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulation/random.h"

namespace leaderelection::simulation {

enum class Fault : std::uint8_t {
  // A request, each with a probability.
  kDelay,         // request or reply takes long
  kLate,          // carried out only after its time-out
  kRequestLost,   // never arrives
  kReplyLost,     // carried out, never answered
  kTwice,         // carried out twice, answered with either outcome
  kHung,          // neither carried out nor answered
  kDropped,       // carried out or not, and its continuation dropped
  kErrorBefore,   // 5xx, nothing changed
  kErrorAfter,    // 5xx, changed all the same
  kThrottled,     // 429 with a wish
  kConflict,      // 409 without a cause
  kStaleAck,      // 200 with the old version, nothing written
  kChangedReply,  // the answer shows another record than was stored
  kChangedWrite,  // a webhook stored another record than was sent
  // The watch, each with a probability: for each event the first two, for each connection the others.
  kWatchLate,
  kWatchEventLost,
  kWatchReordered,  // events of a broken connection come after those of the next one
  kWatchRefused,
  // What happens now and then, to somebody.
  kWatchLost,
  kWatchSilent,     // connected, and swallows everything for a while
  kRelabelled,      // another version, the same record
  kDurationEdited,  // by an outsider, longer or shorter
  kDeleted,
  kPartition,   // of one candidate, both ways
  kOneWay,      // its requests pass, the replies do not
  kForbidden,   // 403 to all it asks, for a while
  kWallStep,    // by up to an hour, either way
  kWallFrozen,  // for a while
  kStall,       // its executor runs nothing for a while, its work goes on
  kPause,       // SIGSTOP
  kSuspend,     // of the machine; connections are gone afterwards
  kCrash,
  kNamesakeRestart,  // a crash, and a restart under the same name
  kStop,             // by its operator, with or without release; it stands again later
  kStepDown,
  // The work of a term, with a probability.
  kWorkLate,   // seconds
  kWorkStuck,  // longer than drain_timeout
  // The set-up, with a probability.
  kNativeExpiry,   // a store that forgets the record by itself
  kMixedSettings,  // candidates with other durations, each its own
  kTwins,          // two candidates under one name
  // The limits stated in the headers, and outsiders nobody can defend against: not among the usual faults.
  kRolledBack,  // the store restored from an old copy, its numbers too
  kForged,      // an outsider clears the holder
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::kForged) + 1;

std::string_view ToString(Fault fault);

using FaultSet = std::bitset<kFaults>;
using FaultCounts = std::array<std::uint64_t, kFaults>;

inline constexpr bool IsTimed(Fault fault) {
  return (fault >= Fault::kWatchLost && fault <= Fault::kStepDown) || fault >= Fault::kRolledBack;
}

// "none", "usual" (all but what the headers state as limits), "all", or names separated by commas, to which a minus
// sign gives the opposite meaning: "usual,-pause". Nothing if a name is unknown.
std::optional<FaultSet> ParseFaults(std::string_view list);

// The faults of one schedule: some of the set, some often and some seldom, nothing while calm.
class Faults {
 public:
  Faults(Random& random, const FaultSet& set);

  // Whether it strikes now, and if so counts it.
  bool Strike(Fault fault) {
    if (!storm_ || !random_.Chance(probability_[static_cast<std::size_t>(fault)])) return false;
    Count(fault);
    return true;
  }
  // One of those that happen now and then.
  [[nodiscard]] std::optional<Fault> PickTimed();
  [[nodiscard]] std::chrono::nanoseconds mean_interval() const { return mean_interval_; }

  void Count(Fault fault) { ++counts_[static_cast<std::size_t>(fault)]; }
  void Calm() { storm_ = false; }
  void Storm() { storm_ = true; }
  [[nodiscard]] bool storm() const { return storm_; }
  [[nodiscard]] const FaultCounts& counts() const { return counts_; }

 private:
  Random& random_;
  bool storm_ = true;
  std::array<double, kFaults> probability_{};  // of a timed one: its weight
  double weights_ = 0;
  std::chrono::nanoseconds mean_interval_;
  FaultCounts counts_{};
};

}  // namespace leaderelection::simulation

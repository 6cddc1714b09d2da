// One run of the simulator: everything that happens in it follows from the seed and the options.

#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

#include "simulation/calm_trial.h"
#include "simulation/faults.h"
#include "simulation/oracles.h"
#include "simulation/process.h"

namespace leaderelection::simulation {

enum class Rules { kOurs, kClientGo };

struct ScheduleOptions {
  std::optional<std::size_t> candidates;  // else 3, sometimes more, up to 7
  std::chrono::seconds length{300};
  double ratio = 1.0;  // of the fastest clock to the slowest
  FaultSet faults = *ParseFaults("usual");
  Rules rules = Rules::kOurs;
  Plant plant = Plant::kNone;
  bool keep_going = false;  // after a violation
  std::ostream* trace = nullptr;
};

struct Outcome {
  std::vector<Violation> violations;
  Tally tally;
  FaultCounts faults{};
  std::optional<HandOff> hand_off;
  std::uint64_t hash = 0;  // equal for equal runs
};

Outcome RunSchedule(std::uint64_t seed, const ScheduleOptions& options);

}  // namespace leaderelection::simulation

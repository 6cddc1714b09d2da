// Many schedules for a test: what they did in all, and how to see one of them again.

#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

#include "simulation/schedule.h"

namespace leaderelection::simulation {

// Under a sanitizer everything takes many times as long, and other things are looked for.
#ifdef LEADERELECTION_SANITIZED
inline constexpr std::uint64_t kShare = 10;
#else
inline constexpr std::uint64_t kShare = 1;
#endif

struct Batch {
  std::uint64_t schedules = 0;
  std::uint64_t overlapping = 0;  // of them
  TrueTime overlap_time{0};
  std::uint64_t terms = 0;
  FaultCounts faults{};
  std::map<std::string, std::uint64_t> violations;  // by oracle
  std::string first;                                // violation, with its seed

  void Run(std::uint64_t from, std::uint64_t count, const ScheduleOptions& options) {
    for (std::uint64_t seed = from; seed < from + count; ++seed) Add(seed, RunSchedule(seed, options));
  }

  void Add(std::uint64_t seed, const Outcome& outcome) {
    ++schedules;
    terms += outcome.tally.terms;
    overlap_time += outcome.tally.overlap_time;
    if (outcome.tally.overlaps > 0) ++overlapping;
    for (std::size_t fault = 0; fault < kFaults; ++fault) faults[fault] += outcome.faults[fault];
    for (const Violation& violation : outcome.violations) ++violations[std::string(violation.oracle)];
    if (outcome.violations.empty() || !first.empty()) return;
    std::ostringstream text;
    text << outcome.violations.front().oracle << ": " << outcome.violations.front().text
         << "; simulate --trace --seeds 1"
         << " --from " << seed;
    first = text.str();
  }
};

}  // namespace leaderelection::simulation

// The oracles notice: each mistake made on purpose is blamed by the oracle that is there for it.

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "simulation/batch.h"

namespace leaderelection::simulation {
namespace {

struct Planted {
  const char* what;
  Plant plant;
  const char* oracle;
  std::uint64_t seeds;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.oracle; }

class Oracle : public ::testing::TestWithParam<Planted> {};

TEST_P(Oracle, NoticesWhatIsPlanted) {
  Batch batch;
  for (std::uint64_t seed = 1; seed <= GetParam().seeds && batch.violations.count(GetParam().oracle) == 0; ++seed) {
    batch.Add(seed, RunSchedule(seed, {.plant = GetParam().plant}));
  }
  EXPECT_EQ(batch.violations.count(GetParam().oracle), 1U) << "first seen: " << batch.first;
}

INSTANTIATE_TEST_SUITE_P(
    Plants, Oracle,
    ::testing::Values(Planted{"AStoreThatComparesNothing", Plant::kAnyVersionWrites, "overlap", 300},
                      Planted{"NumbersThatFall", Plant::kNumbersFall, "number", 20},
                      Planted{"ARegisterThatTakesAll", Plant::kRegisterTakesAll, "stale-write", 300},
                      Planted{"WorkThatLies", Plant::kWorkLies, "release", 50},
                      Planted{"AStartToldTwice", Plant::kStartToldTwice, "alternation", 20},
                      Planted{"ATermNobodyKnowsOf", Plant::kForgetsItLed, "revival", 20},
                      Planted{"NobodyReachesTheStore", Plant::kCutOffWhenCalm, "leader", 20},
                      Planted{"ALeaderPausedInCalm", Plant::kPausedWhenCalm, "stability", 20},
                      Planted{"AWatchThatFlaps", Plant::kWatchFlapsWhenCalm, "quiet", 20},
                      Planted{"HastyCandidates", Plant::kHasty, "budget", 50},
                      Planted{"RecordsThatLast", Plant::kRecordsLast, "take-over", 100},
                      Planted{"ASlowWatch", Plant::kWatchIsSlow, "hand-off", 100}),
    [](const auto& planted) { return std::string(planted.param.what); });

TEST(Oracles, NothingPlantedNothingBlamed) {
  Batch batch;
  batch.Run(1, 100, {});
  EXPECT_TRUE(batch.violations.empty()) << batch.first;
}

}  // namespace
}  // namespace leaderelection::simulation

// 20,000 schedules of the code that ships: no two valid terms, rising numbers, no stale write, a leader after calm, and
// the budget of requests kept; up to the ratio of clocks that is promised, and not beyond it.

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "simulation/batch.h"

namespace leaderelection::simulation {
namespace {

constexpr std::uint64_t kBatch = 1000 / kShare;

struct Part {
  double ratio;
  std::uint64_t from;
};
void PrintTo(const Part& part, std::ostream* out) { *out << part.from << " --ratio " << part.ratio; }

class Schedules : public ::testing::TestWithParam<Part> {};

TEST_P(Schedules, KeepEveryRule) {
  Batch batch;
  batch.Run(GetParam().from, kBatch, {.ratio = GetParam().ratio});
  EXPECT_TRUE(batch.violations.empty()) << batch.first << " --ratio " << GetParam().ratio;
  EXPECT_GT(batch.terms, 5 * kBatch) << "most schedules get somewhere";
}

std::vector<Part> Parts() {
  std::vector<Part> parts;
  for (std::uint64_t part = 0; part < 10; ++part) {
    parts.push_back({1.0, 1 + part * kBatch});
    parts.push_back({1.45, 1'000'001 + part * kBatch});
  }
  return parts;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Schedules, ::testing::ValuesIn(Parts()), [](const auto& part) {
  return (part.param.ratio == 1.0 ? "EqualClocksFrom" : "Ratio145From") + std::to_string(part.param.from);
});

TEST(ClockRates, UpToLeaseDurationByRenewDeadlineThereIsNoOverlap) {
  for (const double ratio : {1.1, 1.2, 1.3, 1.4, 1.5}) {
    Batch batch;
    batch.Run(5'000'000, 400 / kShare, {.ratio = ratio});
    EXPECT_TRUE(batch.violations.empty()) << batch.first << " --ratio " << ratio;
  }
}

TEST(ClockRates, BeyondItOverlapsAreFoundSoTheOracleIsNotBlind) {
  for (const double ratio : {1.55, 1.6, 1.7}) {
    Batch batch;
    batch.Run(1, 400, {.ratio = ratio});
    EXPECT_GE(batch.overlapping, 5U) << ratio;
    EXPECT_EQ(batch.violations.size(), 1U) << "nothing but overlaps: " << batch.first << " --ratio " << ratio;
  }
}

TEST(Limits, AStoreThatForgetsAndOutsidersThatForgeBreakNothingButWhatTheHeadersSay) {
  Batch batch;
  batch.Run(1, 1000 / kShare, {.faults = *ParseFaults("all")});
  EXPECT_TRUE(batch.violations.empty()) << batch.first << " --faults all";
}

TEST(Limits, EveryFaultStrikes) {
  Batch batch;
  batch.Run(7'000'000, 600, {.faults = *ParseFaults("all")});
  for (std::size_t fault = 0; fault < kFaults; ++fault) {
    EXPECT_GT(batch.faults[fault], 0U) << ToString(static_cast<Fault>(fault));
  }
}

TEST(Calm, WithoutFaultsThereAreTwoTermsAndNothingElse) {
  Batch batch;
  batch.Run(1, 100, {.faults = *ParseFaults("none")});
  EXPECT_TRUE(batch.violations.empty()) << batch.first << " --faults none";
  EXPECT_EQ(batch.terms, 200U) << "one, and after the hand-off another";
}

// Each was found by the simulator, and mended; the test in test/core that guards it names the seed too.
struct Found {
  const char* what;
  std::uint64_t seed;
  double ratio;
};

TEST(OnceFound, SeedsThatFailedPass) {
  for (const Found& found : {
           Found{"polls for ever after an idle moment", 641, 1.0},
           // A stated limit, and excused as one: see lib/README.md.
           Found{"missed renewals, then a deletion, on a store that expires records", 882, 1.0},
           Found{"missed renewals, then a deletion", 1297, 1.0},
           Found{"a read too many when a record expires", 15814, 1.0},
           Found{"a namesake's record repeated by a stopped wall clock", 17275, 1.45},
           Found{"a read that a write overtook was not looked at", 103615, 1.45},
           Found{"a rival seen by the last read of a candidacy was forgotten", 1007523, 1.45},
           Found{"a holder who might not lead yet released what another might still hold", 1044891, 1.45},
           Found{"two namesakes took one record for their own", 1055266, 1.45},
           Found{"two namesakes took one record for their own, again", 1094193, 1.45},
           Found{"a deleted record created again, the very same", 273005, 1.0},
           Found{"a resignation on its way when the term began went before the work", 167789, 1.0},
       }) {
    Batch batch;
    batch.Run(found.seed, 1, {.ratio = found.ratio});
    EXPECT_TRUE(batch.violations.empty()) << found.what << ": " << batch.first;
  }
}

}  // namespace
}  // namespace leaderelection::simulation

// What client-go's rules would have done in the same schedules: the oracles see two leaders, so they are not blind, and
// the faults are such as to bring them about.

#include <gtest/gtest.h>

#include <cstdio>

#include "simulation/batch.h"

namespace leaderelection::simulation {
namespace {

TEST(ClientGo, ItsRulesHaveTwoLeadersUnderTheSameSeeds) {
  Batch ours, theirs;
  ours.Run(1, 500, {});
  theirs.Run(1, 500, {.rules = Rules::kClientGo});
  std::printf("client-go's rules: two leaders in %llu of %llu schedules, for %.1f s in all; ours: in %llu\n",
              static_cast<unsigned long long>(theirs.overlapping), static_cast<unsigned long long>(theirs.schedules),
              std::chrono::duration<double>(theirs.overlap_time).count(),
              static_cast<unsigned long long>(ours.overlapping));
  EXPECT_EQ(ours.overlapping, 0U);
  EXPECT_GT(theirs.overlapping, theirs.schedules / 10);
  EXPECT_GT(theirs.overlap_time, std::chrono::seconds(60));
}

TEST(ClientGo, WithoutFaultsItsRulesHaveOneLeaderSoTheComparisonIsFair) {
  Batch batch;
  batch.Run(1, 100, {.faults = *ParseFaults("none"), .rules = Rules::kClientGo});
  EXPECT_EQ(batch.overlapping, 0U);
  EXPECT_GE(batch.terms, 200U);
}

}  // namespace
}  // namespace leaderelection::simulation

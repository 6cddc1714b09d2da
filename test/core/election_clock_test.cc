// Rule 4: which clock is believed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::Contains;

TEST(Rule4Clocks, AProcessThatSleptThroughTheEndOfItsTermFindsItOverAtTheFirstLook) {
  Subject a("a");
  a.Lead();
  a.Stall(3600s);
  EXPECT_FALSE(a.leads()) << "before anything has run";
  a.Wake();
  EXPECT_THAT(a.TakeStory(), Contains("ended: expired"));
}

TEST(Rule4Clocks, StepsOfTheWallClockChangeNothing) {
  for (const std::chrono::seconds step : {3600s, -3600s}) {
    Subject a("a");
    a.Lead();
    a.StepWall(step);
    a.Pass(60s);
    EXPECT_TRUE(a.leads());

    Subject follower("c");
    follower.Put(HeldBy("b"));
    follower.Stand();
    follower.StepWall(step);
    follower.Pass(14900ms);
    EXPECT_EQ(follower.writes(), 0U);
    follower.Pass(100ms);
    EXPECT_TRUE(follower.leads());
  }
}

TEST(Rule4Clocks, TimesInAnothersRecordAreNotComparedWithAnyClock) {
  for (const auto offset : {-std::chrono::hours(1000), std::chrono::hours(1000)}) {
    Subject a("a");
    Record record = HeldBy("b");
    record.renew_time += offset;
    record.acquire_time += offset;
    a.Put(record);
    a.Stand();
    a.Pass(14900ms);
    EXPECT_EQ(a.writes(), 0U);
    a.Pass(100ms);
    EXPECT_TRUE(a.leads());
  }
}

TEST(Rule4Clocks, EveryRecordSentHasALaterRenewTimeThoughTheWallClockStandsStill) {
  Subject a("a");
  a.FreezeWall();
  a.Lead();
  WallTime last = a.stored()->record.renew_time;
  for (int renewal = 0; renewal < 10; ++renewal) {
    a.Pass(2s);
    EXPECT_EQ(a.stored()->record.renew_time, last + 2s);
    last = a.stored()->record.renew_time;
  }
}

TEST(Rule4Clocks, AWallClockSetBackDoesNotSetTheRenewTimeBack) {
  Subject a("a");
  a.Lead();
  const WallTime before = a.stored()->record.renew_time;
  a.StepWall(-3600s);
  a.Pass(2s);
  EXPECT_EQ(a.stored()->record.renew_time, before + 2s);
}

}  // namespace
}  // namespace leaderelection

// Check as client-go's watchdog, health, metrics.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <semaphore>

#include "support/elector_stage.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;

class LeaderElectorHealthTest : public ::testing::Test, protected ElectorStage {};

TEST_F(LeaderElectorHealthTest, BeforeItTakesPartItIsHealthy) {
  LeaderElector elector(Config("healthTest"));
  EXPECT_TRUE(elector.Check(20s).ok());
  EXPECT_EQ(elector.GetHealth().state, Health::State::kFollower);
}

TEST_F(LeaderElectorHealthTest, ALeaderFarExpiredIsAnErrorThatNamesTheLease) {
  auto config = Config("healthTest");
  config.lease_duration = 60s;
  config.name = "foo";
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  executor->Stall(1h);
  const Status status = elector.Check(20s);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "failed election to renew leadership on lease foo");
  EXPECT_EQ(elector.GetHealth().state, Health::State::kError);
}

TEST_F(LeaderElectorHealthTest, ExpiredButInsideTheToleranceIsHealthy) {
  auto config = Config("healthTest");
  config.lease_duration = 60s;
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  EXPECT_TRUE(elector.Check(20s).ok());
  executor->Stall(61s);
  EXPECT_TRUE(elector.Check(20s).ok());
  executor->Stall(20s);
  EXPECT_FALSE(elector.Check(20s).ok());
}

TEST_F(LeaderElectorHealthTest, FarExpiredButHeldByAnotherIsHealthy) {
  lock->Put(HeldBy("otherServer"));
  LeaderElector elector(Config("healthTest"));
  elector.Start();
  executor->RunUntilIdle();
  executor->Stall(1h);
  EXPECT_TRUE(elector.Check(20s).ok());
  EXPECT_EQ(elector.GetHealth().state, Health::State::kFollower);
}

TEST_F(LeaderElectorHealthTest, WorkThatOutlivesItsLostTermIsUnhealthyUntilItReturns) {
  auto config = Config("a");
  config.callback_executor = nullptr;  // the work blocks, so it needs a thread of its own
  std::binary_semaphore running(0);
  std::binary_semaphore may_return(0);
  config.callbacks = {.on_started_leading = [&](const Term&) {
    running.release();
    may_return.acquire();
  }};
  LeaderElector elector(std::move(config));
  elector.Start();
  while (!elector.IsLeader()) executor->RunUntilIdle();
  executor->RunUntilIdle();
  running.acquire();
  lock->Put(HeldBy("b"));
  executor->Advance(14s);
  EXPECT_TRUE(elector.Check(0ms).ok());
  executor->Advance(2s);
  EXPECT_FALSE(elector.Check(0ms).ok());
  EXPECT_EQ(elector.GetHealth().state, Health::State::kError);
  EXPECT_TRUE(Logged("still runs, and another candidate may lead now"));
  EXPECT_FALSE(elector.IsLeader());
  executor->Advance(60s);
  EXPECT_FALSE(elector.IsLeader());  // rule 11: not while its earlier work runs
  may_return.release();
  Await([&] {
    while (!elector.Check(0ms).ok()) std::this_thread::yield();
  });
  executor->Advance(20s);
  EXPECT_TRUE(elector.IsLeader());
  may_return.release();
}

TEST_F(LeaderElectorHealthTest, ALockOutOfReachIsAnErrorOfHealthButNotOfLiveness) {
  lock->FailEvery(ErrorCode::kUnknown);
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->Advance(5s);
  EXPECT_EQ(elector.GetHealth().state, Health::State::kFollower);
  executor->Advance(60s);
  EXPECT_EQ(elector.GetHealth().state, Health::State::kError);
  EXPECT_TRUE(elector.Check(0ms).ok());
  lock->Recover();
  executor->Advance(10s);
  EXPECT_EQ(elector.GetHealth().state, Health::State::kLeader);
}

class CountingMetrics final : public Metrics {
 public:
  void SetLeader(std::string_view name, bool leads) override { leader[std::string(name)] = leads; }
  void CountSlowPath(std::string_view) override { ++slow_paths; }
  void CountRenewal(std::string_view, std::chrono::nanoseconds) override { ++renewals; }
  void CountFailure(std::string_view, ErrorCode code) override { ++failures[code]; }
  void CountTransition(std::string_view) override { ++transitions; }
  void SetExpiry(std::string_view, MonotonicTime valid_until) override { expiry = valid_until; }

  std::map<std::string, bool> leader;
  int slow_paths = 0;
  int renewals = 0;
  int transitions = 0;
  std::map<ErrorCode, int> failures;
  MonotonicTime expiry;
};

TEST_F(LeaderElectorHealthTest, MetricsCountWhatHappens) {
  const auto metrics = std::make_shared<CountingMetrics>();
  auto config = Config("a");
  config.metrics = metrics;
  config.name = "op";
  LeaderElector elector(std::move(config));
  EXPECT_EQ(metrics->leader, (std::map<std::string, bool>{{"op", false}}));
  elector.Start();
  executor->Advance(11s);
  EXPECT_TRUE(metrics->leader["op"]);
  EXPECT_EQ(metrics->renewals, 5);
  EXPECT_EQ(metrics->slow_paths, 0);
  EXPECT_EQ(metrics->transitions, 1);
  EXPECT_EQ(metrics->expiry, executor->Now() - 1s + 10s);
  lock->FailNext(ErrorCode::kConflict);
  executor->Advance(2s);
  EXPECT_EQ(metrics->slow_paths, 1);
  EXPECT_EQ(metrics->failures[ErrorCode::kConflict], 1);
  lock->Put(HeldBy("b"));
  executor->RunUntilIdle();
  EXPECT_FALSE(metrics->leader["op"]);
  EXPECT_EQ(metrics->transitions, 2);
}

}  // namespace
}  // namespace leaderelection::testing

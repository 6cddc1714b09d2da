// The API server goes away and comes back. These take it from everyone, so they run alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "kubernetes/test_cluster.h"
#include "leaderelection/testing/lock_contract.h"
#include "leaderelection/testing/watch_log.h"

namespace leaderelection::testing {

// Only its matchers are used here.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

namespace {

using namespace std::chrono_literals;
using contract::FailedWith;
using contract::HeldBy;
using contract::Succeeded;
using Kind = WatchEvent::Kind;

class LeaseOutage : public OnCluster {
 protected:
  const TestCluster& cluster_ = TestCluster::Get();
};

TEST_F(LeaseOutage, AfterARestartTheSameLockWritesTheSameVersionAndTheWatchGoesOn) {
  const LockClient lock = cluster_.Connect("elector", lease_);
  WatchLog log(60s);
  const auto watch = lock.lock().Observe(log.Recorder());
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  cluster_.Server("restart");
  const auto updated = lock.Update(HeldBy("a", 1), created->version);
  ASSERT_TRUE(Succeeded(updated));
  EXPECT_TRUE(log.WaitForWrite(updated->version.order));
  EXPECT_TRUE(log.OrdersNeverFall());
}

TEST_F(LeaseOutage, AWatchThatIsKilledIsLostAndThenLiveAgain) {
  const LockClient lock = cluster_.Connect("elector", lease_);
  WatchLog log(120s);
  const auto watch = lock.lock().Observe(log.Recorder());
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  cluster_.Server("kill");
  EXPECT_TRUE(log.WaitForKind(Kind::kLost));
  EXPECT_TRUE(FailedWith(lock.Get(BootClock::now() + 5s), {ErrorCode::kUnknown, ErrorCode::kTimeout}));
  cluster_.Server("restart");
  const auto updated = lock.Update(HeldBy("a", 1), created->version);
  ASSERT_TRUE(Succeeded(updated));
  EXPECT_TRUE(log.WaitForWrite(updated->version.order));
  std::size_t lost = 0;
  std::size_t live = 0;
  for (const WatchEvent& event : log.events()) {
    lost += event.kind == Kind::kLost;
    live += event.kind == Kind::kLive;
  }
  EXPECT_EQ(live, lost + 1);
}

TEST_F(LeaseOutage, AServerThatStandsStillIsATimeoutAndNothingIsLostOfIt) {
  const LockClient lock = cluster_.Connect("elector", lease_);
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  cluster_.Server("stop");
  const auto stalled = lock.Update(BootClock::now() + 1s, HeldBy("a", 1), created->version);
  cluster_.Server("cont");
  EXPECT_TRUE(FailedWith(stalled, {ErrorCode::kTimeout}));
  // It may have landed: only a read tells.
  const auto read = lock.Get();
  ASSERT_TRUE(Succeeded(read));
  EXPECT_TRUE(read->record == created->record || read->record == HeldBy("a", 1));
  EXPECT_TRUE(Succeeded(lock.Update(HeldBy("a", 2), read->version)));
}

}  // namespace
}  // namespace leaderelection::testing

#include <gtest/gtest.h>
#include <leaderelection/testing/fake_lock.h>
#include <leaderelection/testing/simulated_executor.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using leaderelection::testing::FakeLock;
using leaderelection::testing::SimulatedExecutor;

TEST(Own, TimePassesWhenTheTestSaysSo) {
  SimulatedExecutor executor;
  int rung = 0;
  executor.PostAt(executor.Now() + 15s, [&] { ++rung; });
  executor.Advance(14s);
  EXPECT_EQ(rung, 0);
  executor.Advance(1s);
  EXPECT_EQ(rung, 1);
}

TEST(Own, AFakeLockStoresARecord) {
  FakeLock lock;
  lock.Put({.holder_identity = "me"});
  ASSERT_TRUE(lock.stored());
  EXPECT_EQ(lock.stored()->record.holder_identity, "me");
}

}  // namespace

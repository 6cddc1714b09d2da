#include <gtest/gtest.h>
#include <leaderelection/memory_lock.h>
#include <leaderelection/testing/fake_lock.h>
#include <leaderelection/testing/lock_contract.h>
#include <leaderelection/testing/simulated_executor.h>

#include <chrono>
#include <memory>

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

// Stands for a backend of the user's own.
class OwnBackend {
 public:
  static constexpr leaderelection::testing::LockTraits kTraits{.watches = true};
  std::shared_ptr<leaderelection::ResourceLock> Connect() { return lock_; }
  void Delete() { lock_->Delete(); }

 private:
  const std::shared_ptr<leaderelection::MemoryLock> lock_ = std::make_shared<leaderelection::MemoryLock>();
};

namespace leaderelection::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(Own, LockContract, ::OwnBackend);
}

#include "file/interruption.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <chrono>
#include <latch>
#include <thread>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

TEST(Interruption, IsNotRaisedAtFirst) {
  const Interruption interruption;
  EXPECT_FALSE(interruption.WaitFor(0s));
  EXPECT_FALSE(interruption.WaitFor(1ms));
}

TEST(Interruption, StaysRaisedUntilItIsLowered) {
  Interruption interruption;
  interruption.Raise();
  interruption.Raise();
  EXPECT_TRUE(interruption.WaitFor(0s));
  EXPECT_TRUE(interruption.WaitFor(std::chrono::nanoseconds::max()));
  interruption.Lower();
  EXPECT_FALSE(interruption.WaitFor(0s));
  interruption.Lower();
  interruption.Raise();
  EXPECT_TRUE(interruption.WaitFor(0s));
}

TEST(Interruption, ATimeThatHasPassedIsALookOnly) {
  Interruption interruption;
  EXPECT_FALSE(interruption.WaitFor(-1h));
  interruption.Raise();
  EXPECT_TRUE(interruption.WaitFor(-1h));
}

TEST(Interruption, EndsWaitsOfAllThreads) {
  Interruption interruption;
  std::latch waiting(2);
  const auto wait = [&] {
    waiting.count_down();
    EXPECT_TRUE(interruption.WaitFor(1h));
  };
  const std::jthread first(wait);
  const std::jthread second(wait);
  waiting.wait();
  interruption.Raise();
}

TEST(Interruption, AReadableDescriptorEndsAWaitWithoutIt) {
  Interruption interruption;
  const Descriptor readable(::eventfd(1, EFD_CLOEXEC));
  EXPECT_FALSE(interruption.WaitForReadable(readable));
  interruption.Raise();
  EXPECT_TRUE(interruption.WaitForReadable(readable));
}

TEST(Interruption, EndsAWaitForADescriptorThatStaysSilent) {
  Interruption interruption;
  const Descriptor silent(::eventfd(0, EFD_CLOEXEC));
  std::latch waiting(1);
  const std::jthread waiter([&] {
    waiting.count_down();
    EXPECT_TRUE(interruption.WaitForReadable(silent));
  });
  waiting.wait();
  interruption.Raise();
}

}  // namespace
}  // namespace leaderelection

#include "leaderelection/stop_on_signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <semaphore>
#include <stdexcept>
#include <system_error>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

bool Requested(const std::stop_token& token) {
  std::binary_semaphore requested(0);
  const std::stop_callback on_stop(token, [&] { requested.release(); });
  return requested.try_acquire_for(60s);
}

TEST(StopOnSignals, ASignalRequestsTheStop) {
  const StopOnSignals stop({SIGTERM, SIGINT});
  EXPECT_FALSE(stop.token().stop_requested());
  EXPECT_EQ(stop.signal(), 0);
  ::raise(SIGTERM);
  EXPECT_TRUE(Requested(stop));
  EXPECT_EQ(stop.signal(), SIGTERM);
}

TEST(StopOnSignals, TheHandlersBeforeAreBackAfterwards) {
  static volatile std::sig_atomic_t handled = 0;
  const auto before = std::signal(SIGUSR1, [](int) { handled = 1; });
  {
    const StopOnSignals stop({SIGUSR1});
    ::raise(SIGUSR1);
    EXPECT_TRUE(Requested(stop));
    EXPECT_EQ(handled, 0);
  }
  ::raise(SIGUSR1);
  EXPECT_EQ(handled, 1);
  std::signal(SIGUSR1, before);
}

TEST(StopOnSignals, ThereIsOneAtATime) {
  {
    const StopOnSignals stop({SIGUSR1});
    EXPECT_THROW(StopOnSignals({SIGUSR2}), std::logic_error);
  }
  const StopOnSignals again({SIGUSR1});
}

TEST(StopOnSignals, ASignalThatCannotBeHandledIsAnError) {
  EXPECT_THROW(StopOnSignals({SIGTERM, SIGKILL}), std::system_error);
  const StopOnSignals possible({SIGTERM});
}

TEST(StopOnSignalsDeathTest, ASecondSignalHasItsUsualEffect) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const StopOnSignals stop({SIGINT});
        ::raise(SIGINT);
        Requested(stop);
        ::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace leaderelection

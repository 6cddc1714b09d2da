// Rule 5: whoever asks whether a term is valid gets the truth by the clock, whatever threads hang.

#include "core/validity.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "core/manual_clock.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

class Rule5Asking : public ::testing::Test {
 protected:
  void Pass(std::chrono::nanoseconds duration) { clock_->now += duration; }
  [[nodiscard]] MonotonicTime In(std::chrono::nanoseconds duration) const { return clock_->now + duration; }

  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Validity validity_{clock_};
};

TEST_F(Rule5Asking, NothingIsValidBeforeTheFirstTerm) {
  EXPECT_FALSE(validity_.IsValid());
  EXPECT_FALSE(validity_.IsValid(0));
  EXPECT_FALSE(validity_.IsValid(1));
}

TEST_F(Rule5Asking, ATermIsValidUntilItsDeadlineAndNoLonger) {
  const std::uint32_t term = validity_.Begin(In(10s));
  Pass(10s - 1ms);
  EXPECT_TRUE(validity_.IsValid());
  EXPECT_TRUE(validity_.IsValid(term));
  Pass(1ms);
  EXPECT_FALSE(validity_.IsValid());
  EXPECT_FALSE(validity_.IsValid(term));
}

TEST_F(Rule5Asking, ADeadlineBetweenTwoMillisecondsIsRoundedDown) {
  validity_.Begin(In(10s + 900us));
  Pass(10s);
  EXPECT_FALSE(validity_.IsValid());
}

TEST_F(Rule5Asking, AnExtendedTermLastsLonger) {
  const std::uint32_t term = validity_.Begin(In(10s));
  Pass(9s);
  EXPECT_TRUE(validity_.Extend(In(10s)));
  EXPECT_EQ(validity_.Deadline(term), In(10s));
  Pass(9s);
  EXPECT_TRUE(validity_.IsValid(term));
}

TEST_F(Rule5Asking, ATermThatAnyoneFoundOverIsNeverExtended) {
  validity_.Begin(In(10s));
  Pass(10s);
  ASSERT_FALSE(validity_.IsValid());
  EXPECT_FALSE(validity_.Extend(In(10s)));
  EXPECT_FALSE(validity_.IsValid());
}

TEST_F(Rule5Asking, ATermThatNobodyFoundOverMayStillBeExtended) {
  validity_.Begin(In(10s));
  Pass(10s);
  EXPECT_TRUE(validity_.Extend(In(10s)));
  EXPECT_TRUE(validity_.IsValid());
}

TEST_F(Rule5Asking, ASealedTermIsOverAndStaysSo) {
  const std::uint32_t term = validity_.Begin(In(10s));
  validity_.Seal();
  EXPECT_FALSE(validity_.IsValid());
  EXPECT_FALSE(validity_.Extend(In(10s)));
  EXPECT_FALSE(validity_.IsValid(term));
  EXPECT_LE(validity_.Deadline(term), clock_->now);
}

TEST_F(Rule5Asking, TheNextTermDoesNotReviveTheOneBefore) {
  const std::uint32_t first = validity_.Begin(In(10s));
  validity_.Seal();
  const std::uint32_t second = validity_.Begin(In(10s));
  EXPECT_NE(first, second);
  EXPECT_FALSE(validity_.IsValid(first));
  EXPECT_TRUE(validity_.IsValid(second));
  EXPECT_LE(validity_.Deadline(first), clock_->now);
}

TEST_F(Rule5Asking, ATermThatWouldBeOverWhenItBeginsIsNotValid) {
  Pass(1s);
  validity_.Begin(clock_->now - 2s);
  EXPECT_FALSE(validity_.IsValid());
}

// Threads that ask race with the one that extends: once one was told that the term is over, no later answer differs.
TEST_F(Rule5Asking, TheAnswerNeverGoesTrueFalseTrue) {
  struct RacingClock final : Clock {
    mutable std::atomic<std::int64_t> ticks{0};
    MonotonicTime Now() const noexcept override { return MonotonicTime(std::chrono::microseconds(++ticks)); }
    WallTime WallNow() const noexcept override { return {}; }
  };
  for (int round = 0; round < 50; ++round) {
    const auto clock = std::make_shared<RacingClock>();
    Validity validity(clock);
    validity.Begin(MonotonicTime(2ms));
    std::thread extends([&] {
      for (int step = 0; step < 200; ++step) {
        if (!validity.Extend(clock->Now() + 3ms)) return;
      }
    });
    bool over = false;
    for (int asked = 0; asked < 20'000 && !over; ++asked) over = !validity.IsValid();
    extends.join();
    EXPECT_FALSE(over && validity.IsValid());
  }
}

}  // namespace
}  // namespace leaderelection

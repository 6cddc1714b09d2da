#include "kubernetes/stranger_count.h"

#include <gtest/gtest.h>

#include <chrono>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

// So many events of strangers, spread over the time; whether any of them was one too many.
bool Judge(StrangerCount& count, MonotonicTime& now, int events, std::chrono::seconds time, std::size_t observers) {
  bool judged = false;
  for (int i = 0; i < events; ++i) {
    now += std::chrono::nanoseconds(time) / events;
    judged = count.AddAndJudge(now, observers) || judged;
  }
  return judged;
}

TEST(StrangerCount, TwentyLeasesOfOursPayAmongFiftyOthers) {
  MonotonicTime now{};
  StrangerCount count(now);
  EXPECT_FALSE(Judge(count, now, 50 * 30 * 10, 10min, 20));
}

TEST(StrangerCount, TenLeasesOfOursDoNotPayAmongThoseOfFiveThousandNodes) {
  MonotonicTime now{};
  StrangerCount count(now);
  EXPECT_FALSE(Judge(count, now, 29'000, 58s, 10)) << "not before a minute is over";
  EXPECT_TRUE(Judge(count, now, 1'500, 3s, 10));
}

TEST(StrangerCount, ElectionsThatBeginWithinTheMinuteWereNoStrangers) {
  MonotonicTime now{};
  StrangerCount count(now);
  EXPECT_FALSE(Judge(count, now, 15'000, 30s, 5));
  EXPECT_FALSE(Judge(count, now, 1'000, 31s, 1000));
}

TEST(StrangerCount, EveryMinuteIsJudgedByItself) {
  MonotonicTime now{};
  StrangerCount count(now);
  EXPECT_FALSE(Judge(count, now, 1'000, 61s, 10));
  EXPECT_FALSE(Judge(count, now, 900, 61s, 10));
}

}  // namespace
}  // namespace leaderelection

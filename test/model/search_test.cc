// All states of the code that ships, as far as each search goes: no rule is broken in any of them, and wherever the
// trouble ends somebody leads before long.

#include "model/search.h"

#include <gtest/gtest.h>

#include <string>

#include "model/shapes.h"

namespace leaderelection::model {
namespace {

// Under a sanitizer everything takes many times as long, and other things are looked for.
#ifdef LEADERELECTION_SANITIZED
constexpr std::uint64_t kStates = 10'000;
#else
constexpr std::uint64_t kStates = 250'000;
#endif

std::string Tell(const Findings& found) {
  std::string text = found.broken + ":\n";
  for (const std::string& step : found.path) text += "  " + step + "\n";
  return text;
}

class Searches : public ::testing::TestWithParam<Shape> {};

TEST_P(Searches, KeepEveryRule) {
  const Findings found = Search(GetParam());
  EXPECT_TRUE(found.broken.empty()) << Tell(found);
  // A search that has become narrower shows less than it says.
  EXPECT_GE(found.states, kStates);
  EXPECT_GE(found.transitions, 3 * kStates / 2);
  EXPECT_GE(found.calm_runs, kStates / 50);
}

INSTANTIATE_TEST_SUITE_P(Of, Searches, ::testing::ValuesIn(AllShapes(kStates)),
                         [](const auto& shape) { return shape.param.name; });

TEST(ClockRates, BeyondThePromiseTwoLeadersAreFoundSoTheSearchIsNotBlind) {
  const Findings found = Search(TooFastClock());
  EXPECT_EQ(found.broken, "b leads while a leads");
  EXPECT_LE(found.path.size(), 14U) << "the shortest way there:\n" << Tell(found);
}

TEST(Bounds, ASearchSaysWhetherItHasSeenEverything) {
  Shape shape = EqualClocks();
  shape.depth = 8;
  const Findings found = Search(shape);
  EXPECT_FALSE(found.exhausted);
  EXPECT_EQ(found.depth, 8);
}

}  // namespace
}  // namespace leaderelection::model

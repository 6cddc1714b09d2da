// What is put aside and back is all there is: an Election that lives through a run from its beginning goes the same way
// as one that is put together anew for every step, with all that the canonical form leaves out.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/action.h"
#include "model/canonical.h"
#include "model/shapes.h"
#include "model/world.h"
#include "simulation/random.h"

namespace leaderelection::model {
namespace {

class Walks : public ::testing::TestWithParam<Shape> {};

TEST_P(Walks, PutTogetherAnewOrAliveFromTheBeginningItGoesTheSameWay) {
  const Shape& shape = GetParam();
  const std::vector<Seating> seated{Seatings(shape).front()};
  World restored(shape);
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    simulation::Random random(seed);
    World living(shape, false);
    State one = living.Start();
    State other = restored.Start();
    for (int step = 0; step < 80; ++step) {
      const std::vector<Action> possible = Possible(one, shape);
      const Action action = possible[random.Below(possible.size())];
      const std::string told = Describe(action, one, "it");
      EXPECT_EQ(living.Apply(one, action), std::nullopt);
      EXPECT_EQ(restored.Apply(other, action), std::nullopt);
      const std::string bytes = Canonicalise(other, shape, seated).bytes;
      ASSERT_EQ(Canonicalise(one, shape, seated).bytes, bytes) << "seed " << seed << " step " << step << ": " << told;
      other = Unpack(bytes, shape);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllShapes, Walks, ::testing::ValuesIn(AllShapes(1)),
                         [](const auto& shape) { return shape.param.name; });

TEST(Canonical, SeatsOfEqualClocksAreInterchangeable) {
  Shape shape{.name = "three", .candidates = 3};
  EXPECT_EQ(Seatings(shape).size(), 6U);
  shape.tick[2] = std::chrono::milliseconds(750);
  EXPECT_EQ(Seatings(shape).size(), 2U);
}

}  // namespace
}  // namespace leaderelection::model

// From here on nothing goes wrong: what is under way arrives, what is due is done. Somebody leads before long, and
// keeps the lock.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/action.h"
#include "model/world.h"

namespace leaderelection::model {

struct CalmRun {
  std::optional<std::string> broken;  // which rule, if one was
  std::vector<Action> actions;
  int ticks = 0;  // until somebody led
};

// Within so many ticks somebody must.
int TicksAllowed(const Shape& shape);

CalmRun RunCalmly(World& world, State state, const Shape& shape);

}  // namespace leaderelection::model

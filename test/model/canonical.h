// Gives states with equal futures the same form, so that the search looks at one of them only.
//
// Nothing that a rule reads is lost: moments that have passed are all alike once they cannot be counted from any more;
// versions and the records' times keep their order and equality, which is all anyone compares; records that nobody has
// are dropped; candidates whose clocks run alike are interchangeable.

#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/shape.h"
#include "model/state.h"

namespace leaderelection::model {

// Where each seat's candidate sits in the canonical form.
using Seating = std::array<int, kSeats>;

struct Canonical {
  std::string bytes;
  Seating seating{};
};

// The ways in which the candidates of this shape may change seats; the first one leaves them.
std::vector<Seating> Seatings(const Shape& shape);

Canonical Canonicalise(const State& state, const Shape& shape, const std::vector<Seating>& seatings);
State Unpack(const std::string& bytes, const Shape& shape);
// Drops the records that nobody has, and leaves everything else.
void DropUnused(State& state, const Shape& shape);

}  // namespace leaderelection::model

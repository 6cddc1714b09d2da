// The searches that are made: each says where it looks deep, for everything at once would be too much.
//
// The durations stand in the ratio of the defaults, 3 : 2 and 1, so that two ticks of a slow leader's clock are one
// renew_deadline and two ticks of a fast follower's are one lease_duration: nothing is left between them.

#pragma once

#include <ostream>
#include <vector>

#include "model/shape.h"

namespace leaderelection::model {

// As fast as the durations allow: lease_duration / renew_deadline times as fast as the others.
inline constexpr std::chrono::milliseconds kFast{750};

inline Shape Sized(Shape shape, std::uint64_t states) {
  shape.states = states;
  return shape;
}

inline Shape WithFastClock(Shape shape) {
  shape.tick[static_cast<std::size_t>(shape.candidates) - 1] = kFast;
  return shape;
}

// Every interleaving of the requests of two, whose clocks run alike.
inline Shape EqualClocks() { return {.name = "EqualClocks", .exchanges = 1, .news = 0}; }
// One of them is as fast as is promised, and either may stop for a tick or two.
inline Shape FastClock() {
  return WithFastClock({.name = "FastClock", .exchanges = 1, .news = 0, .budget = {.pauses = 1}});
}
// What is late arrives all the same, and watches tell what was not asked for.
inline Shape LateRequests() {
  return WithFastClock({.name = "LateRequests", .exchanges = 2, .reads_are_atomic = true, .news = 0});
}
inline Shape Watches() {
  return WithFastClock({.name = "Watches", .exchanges = 1, .reads_are_atomic = true, .news = 1});
}
inline Shape Errors() {
  return WithFastClock({.name = "Errors",
                        .exchanges = 2,
                        .reads_are_atomic = true,
                        .news = 0,
                        .budget = {.errors = 1, .duplicates = 1, .stale_acks = 1}});
}
inline Shape Crashes() {
  return WithFastClock(
      {.name = "Crashes", .exchanges = 1, .reads_are_atomic = true, .news = 0, .budget = {.crashes = 1}});
}
inline Shape Deletions() {
  return WithFastClock({.name = "Deletions",
                        .exchanges = 1,
                        .reads_are_atomic = true,
                        .news = 1,
                        .budget = {.deletions = 1, .relabels = 1}});
}
inline Shape Resignations() {
  return WithFastClock(
      {.name = "Resignations", .exchanges = 1, .reads_are_atomic = true, .news = 1, .budget = {.resignations = 1}});
}
inline Shape ThreeCandidates() {
  return WithFastClock(
      {.name = "ThreeCandidates", .candidates = 3, .exchanges = 1, .reads_are_atomic = true, .news = 0});
}
// Twice as fast: two leaders must be found, or the search is blind. Durations are of more ticks here, for so a term can
// end between those of the fast clock.
inline Shape TooFastClock() {
  Shape shape{.name = "TooFastClock",
              .lease_duration = std::chrono::seconds(3),
              .renew_deadline = std::chrono::seconds(2),
              .retry_period = std::chrono::seconds(1),
              .exchanges = 1,
              .reads_are_atomic = true,
              .news = 0};
  shape.tick[1] = 2 * shape.tick[0];
  return shape;
}

inline std::vector<Shape> AllShapes(std::uint64_t states) {
  std::vector<Shape> shapes;
  for (const Shape& shape : {EqualClocks(), FastClock(), LateRequests(), Watches(), Errors(), Crashes(), Deletions(),
                             Resignations(), ThreeCandidates()}) {
    shapes.push_back(Sized(shape, states));
  }
  return shapes;
}

// For GoogleTest.
inline void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

}  // namespace leaderelection::model

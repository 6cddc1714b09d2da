// Breadth-first over all states that the real Elections of two or three candidates can get into: not a model of them,
// but the code that ships, put into a state and stepped (memory.h). What it finds, it finds by the shortest way.
//
// A state is what every Election remembers, the one record and its version, requests and answers under way, changes
// that the watches have yet to tell, work, and what may still go wrong (state.h). From each, everything that may happen
// next does (action.h), and after each step the rules are checked (world.cc): no two valid terms at one true time; a
// term that is over stays over; numbers rise, so that a fenced register takes no write of an earlier term; starts and
// ends alternate, and none comes while earlier work runs; no release while work runs or the term is valid, nor by
// anyone but the holder. Some states are left alone, to see that somebody leads before long and nobody storms (calm.h).
//
// Bounded: time passes in ticks, half a second of an ordinary clock, and nobody looks in between; the number of
// messages under way, where with one too many the oldest is lost; how often each fault strikes (Budget); and the number
// of states. A message may be late for ever, which is how one is lost, before or after it was carried out; but a
// candidate does what is due before the next tick, unless a pause is spent. Left out: stores that expire records or go
// back, roles other than a candidate's, namesakes, and edits by outsiders other than a label or a deletion. The
// simulator has them (test/simulation). Sound: states are merged only if no comparison that the code makes can tell
// them apart (canonical.h), and a test walks with Elections that are never put aside, and finds them in the same
// states.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/shape.h"

namespace leaderelection::model {

struct Findings {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  int depth = 0;           // of the last state
  bool exhausted = false;  // there are no more states than these
  std::uint64_t calm_runs = 0;
  int longest_calm = 0;  // ticks until somebody led
  double seconds = 0;
  std::size_t memory = 0;         // bytes, at most
  std::string broken;             // the rule, or empty
  std::vector<std::string> path;  // to where it was broken, in sentences
};

// Every `calm_every`-th state is left alone, to see that somebody leads before long.
Findings Search(const Shape& shape, std::uint64_t calm_every = 16);

}  // namespace leaderelection::model

// explore [STATES]: searches all shapes, as far as so many states of each (two million), and prints what was found.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "model/search.h"
#include "model/shapes.h"

namespace {

using leaderelection::model::Findings;

void Print(const std::string& name, const Findings& found) {
  std::printf(
      "%-16s %10llu states %11llu transitions, depth %3d%s, %7llu left alone: a leader in %d ticks; %.0f s, %zu MiB\n",
      name.c_str(), static_cast<unsigned long long>(found.states), static_cast<unsigned long long>(found.transitions),
      found.depth, found.exhausted ? " (all)" : "", static_cast<unsigned long long>(found.calm_runs),
      found.longest_calm, found.seconds, found.memory >> 20);
  if (!found.broken.empty()) std::printf("BROKEN: %s\n", found.broken.c_str());
  for (const std::string& step : found.path) std::printf("  %s\n", step.c_str());
  std::fflush(stdout);
}

int Explore(std::uint64_t states) {
  int status = 0;
  for (const auto& shape : leaderelection::model::AllShapes(states)) {
    const Findings found = leaderelection::model::Search(shape);
    Print(shape.name, found);
    if (!found.broken.empty()) status = 1;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::uint64_t states = argc > 1 ? std::stoull(argv[1]) : 2'000'000;
    return Explore(states);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "explore: %s\n", error.what());
    return 2;
  }
}

// The simulator as a command: runs many schedules and says what became of them.

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace leaderelection::simulation {

// Returns 0 if every schedule kept the rules, 1 if one did not, 2 if the arguments make no sense.
int Simulate(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace leaderelection::simulation

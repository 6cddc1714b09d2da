// leader-elector, as a function: main hands it its arguments, tests theirs.

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "options/values.h"

namespace leaderelection::command {

// The arguments without the program's name. Returns the exit code: 2 for a mistake in the arguments, with one line on
// `err` that says what to do.
int Run(const std::vector<std::string>& arguments, const Environment& environment, std::ostream& out,
        std::ostream& err);

}  // namespace leaderelection::command

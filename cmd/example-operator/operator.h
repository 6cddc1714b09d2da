// example-operator, as a function: main hands it its arguments, tests theirs.

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace example_operator {

// Stands for leadership until SIGINT or SIGTERM, and reconciles while it leads. The arguments are those behind the
// program's name. Returns the exit code: 2, with one line on `err`, for what cannot go well.
int Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace example_operator

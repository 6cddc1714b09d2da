// A mistake of whoever typed the command: one line that says what to do, and exit code 2.

#pragma once

#include <stdexcept>

namespace leaderelection::command {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace leaderelection::command

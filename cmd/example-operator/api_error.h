// What the API server says when it says no.

#pragma once

#include <leaderelection/error.h>

#include <string>

namespace example_operator {

// Of an answer that is not 2xx: the code that tells what to do, and the message of the Status object in its body.
[[nodiscard]] leaderelection::Error ApiError(long status, const std::string& body);

}  // namespace example_operator

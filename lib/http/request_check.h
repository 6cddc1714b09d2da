// Whether a request can be written as HTTP without saying something else than the caller meant.

#pragma once

#include "http/client.h"

namespace leaderelection::http {

// kInvalid if a part of it holds what would end that part early (a line break in a header's value), or if a header is
// not the caller's to set. The text quotes names only, never values.
Status CheckRequest(const Request& request);

// "Content-Type" and "content-type" are the same.
bool IsSameName(std::string_view one, std::string_view other);

}  // namespace leaderelection::http

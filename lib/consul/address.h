// Where an agent is, as people write it.

#pragma once

#include <string>
#include <string_view>

#include "leaderelection/error.h"
#include "net/endpoint.h"

namespace leaderelection::consul {

struct Address {
  net::Endpoint server;
  bool tls = false;
  std::string path;  // before /v1, without a slash at its end; mostly empty
};

// host[:port], http://host[:port][/path], https://...; the port is 8500 unless given. kInvalid, saying what is wrong
// without quoting it: it might hold a password.
[[nodiscard]] Result<Address> ParseAddress(std::string_view text);

// For a path or a query: everything but letters, digits and -._~ is encoded, and '/' unless it may stay.
[[nodiscard]] std::string PercentEncoded(std::string_view text, bool keep_slash);

}  // namespace leaderelection::consul

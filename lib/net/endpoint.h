// Where a server is.

#pragma once

#include <cstdint>
#include <string>

namespace leaderelection::net {

struct Endpoint {
  std::string host;  // a name, or an address without brackets
  std::uint16_t port = 0;
};

// "kubernetes.default.svc:443", "[::1]:6443"; for people and Host headers.
inline std::string ToString(const Endpoint& endpoint) {
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

}  // namespace leaderelection::net

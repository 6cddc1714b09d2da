#include "consul/address.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace leaderelection::consul {
namespace {

constexpr std::uint16_t kDefaultPort = 8500;

Result<Address> Wrong(const char* what) { return {ErrorCode::kInvalid, what}; }

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool IsPrintable(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

// "[::1]:8500", "::1" has no port, "host:8500", "host".
Result<net::Endpoint> ParseEndpoint(std::string_view text) {
  net::Endpoint endpoint{.port = kDefaultPort};
  std::string_view port;
  if (TakePrefix(text, "[")) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {ErrorCode::kInvalid, "has no ] after its host"};
    endpoint.host = text.substr(0, end);
    port = text.substr(end + 1);
    if (!port.empty() && !TakePrefix(port, ":")) return {ErrorCode::kInvalid, "has no : before its port"};
  } else {
    const std::size_t colon = text.find(':');
    endpoint.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon + 1);
  }
  if (endpoint.host.empty()) return {ErrorCode::kInvalid, "has no host"};
  if (!port.empty()) {
    const auto number = ParsePort(port);
    if (!number) return {ErrorCode::kInvalid, "has a port that is no number from 1 to 65535"};
    endpoint.port = *number;
  }
  return endpoint;
}

}  // namespace

Result<Address> ParseAddress(std::string_view text) {
  if (text.empty()) return Wrong("is empty");
  if (!IsPrintable(text)) return Wrong("holds a blank or a character that is not ASCII");
  Address address;
  if (TakePrefix(text, "https://")) {
    address.tls = true;
  } else if (!TakePrefix(text, "http://") && text.find("://") != std::string_view::npos) {
    return Wrong("is neither http:// nor https://");
  }
  const std::size_t slash = text.find('/');
  const std::string_view authority = text.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) return Wrong("holds a user, which Consul does not know");
  if (text.find_first_of("?#") != std::string_view::npos) return Wrong("holds a query or a fragment");
  const auto server = ParseEndpoint(authority);
  if (!server) return server.error();
  address.server = *server;
  if (slash != std::string_view::npos) address.path = text.substr(slash);
  while (address.path.ends_with('/')) address.path.pop_back();
  return address;
}

std::string PercentEncoded(std::string_view text, bool keep_slash) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos || (keep_slash && c == '/')) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 15U];
  }
  return encoded;
}

}  // namespace leaderelection::consul

#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <string_view>

#include "kubernetes/kube_settings.h"

namespace leaderelection {
namespace {

Error Wrong(const std::string& what) { return {ErrorCode::kInvalid, "the server's URL " + what, std::nullopt}; }

bool IsPrintable(std::string_view text) {
  for (const char c : text) {
    if (c <= 0x20 || c >= 0x7f) return false;
  }
  return true;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "host", "host:port", "[v6]", "[v6]:port"
bool ReadAuthority(std::string_view authority, net::Endpoint& endpoint) {
  const bool is_bracketed = authority.starts_with('[');
  const std::size_t end_of_host = is_bracketed ? authority.find(']') : authority.find(':');
  if (is_bracketed && end_of_host == std::string_view::npos) return false;
  endpoint.host = authority.substr(is_bracketed, end_of_host - is_bracketed);
  if (endpoint.host.empty()) return false;
  if (is_bracketed) {
    boost::system::error_code error;
    boost::asio::ip::make_address_v6(endpoint.host, error);
    if (error) return false;
  }
  std::string_view rest = end_of_host == std::string_view::npos ? "" : authority.substr(end_of_host + is_bracketed);
  if (rest.empty()) return true;
  if (!TakePrefix(rest, ":")) return false;
  const auto [stopped, error] = std::from_chars(rest.data(), rest.data() + rest.size(), endpoint.port);
  return error == std::errc() && stopped == rest.data() + rest.size() && endpoint.port != 0;
}

}  // namespace

Result<ServerUrl> ParseServerUrl(const std::string& url) {
  std::string_view rest = url;
  if (rest.empty()) return Wrong("is missing");
  if (!IsPrintable(rest)) return Wrong("holds a space or a character that no URL has");
  ServerUrl server;
  if (TakePrefix(rest, "http://")) {
    server.is_plain = true;
  } else if (!TakePrefix(rest, "https://")) {
    return Wrong("does not begin with https://");
  }
  if (rest.find_first_of("?#") != std::string_view::npos) return Wrong("has a query or a fragment");
  const std::size_t end = rest.find('/');
  const std::string_view authority = rest.substr(0, end);
  if (authority.find('@') != std::string_view::npos) return Wrong("has a user name in it");
  server.endpoint.port = server.is_plain ? 80 : 443;
  if (!ReadAuthority(authority, server.endpoint)) return Wrong("has no host or no valid port");
  if (end != std::string_view::npos) server.path_prefix = rest.substr(end);
  while (server.path_prefix.ends_with('/')) server.path_prefix.pop_back();
  return server;
}

}  // namespace leaderelection

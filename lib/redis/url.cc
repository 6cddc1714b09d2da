#include "redis/url.h"

#include <charconv>

namespace leaderelection::redis {
namespace {

bool IsHost(std::string_view host) {
  return !host.empty() && host.find_first_of(" \t\r\n/@?#[]%") == std::string_view::npos;
}

}  // namespace

std::optional<int> ParseNumber(std::string_view text, int smallest, int largest) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < smallest || number > largest)
    return std::nullopt;
  return number;
}

std::optional<net::Endpoint> ParseEndpoint(std::string_view text, std::uint16_t default_port) {
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && (rest[0] != ':' || rest.size() == 1)) return std::nullopt;
    if (!rest.empty()) port = rest.substr(1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (port.empty()) return std::nullopt;
  }
  const auto number = port.empty() ? std::optional<int>(default_port) : ParseNumber(port, 1, 65535);
  if (!number || !IsHost(host)) return std::nullopt;
  return net::Endpoint{std::string(host), static_cast<std::uint16_t>(*number)};
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (error != std::errc() || end != text.data() + i + 3) return std::nullopt;
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

}  // namespace leaderelection::redis

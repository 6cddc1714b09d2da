#include <civetweb.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "admin/http_server.h"
#include "leaderelection/admin_server.h"

namespace leaderelection {

namespace {

constexpr std::size_t kLargestAnswer = 4096;

struct Close {
  void operator()(mg_connection* connection) const { mg_close_connection(connection); }
};
using Connection = std::unique_ptr<mg_connection, Close>;

std::string Encoded(const std::string& text) {
  std::string encoded(text.size() * 3 + 1, '\0');
  const int length = mg_url_encode(text.c_str(), encoded.data(), encoded.size());
  encoded.resize(static_cast<std::size_t>(std::max(length, 0)));
  return encoded;
}

std::string ReadBody(mg_connection* connection) {
  std::string body(kLargestAnswer, '\0');
  std::size_t length = 0;
  while (length < body.size()) {
    const int read = mg_read(connection, body.data() + length, body.size() - length);
    if (read <= 0) break;
    length += static_cast<std::size_t>(read);
  }
  body.resize(length);
  return body;
}

// What the server says of its refusal; whoever answers there may be any program.
std::string Reason(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("error") || !json["error"].is_string()) return "";
  return ": " + json["error"].get<std::string>();
}

}  // namespace

Status AskToStepDown(const std::string& address, const std::string& identity, const std::string& name,
                     std::chrono::milliseconds timeout) {
  const auto target = ParseHostAndPort(address);
  if (!target) return {ErrorCode::kInvalid, "'" + address + "' is not host:port"};
  std::array<char, 256> error{};
  const Connection connection(
      mg_connect_client(target->host.c_str(), std::atoi(target->port.c_str()), 0, error.data(), error.size()));
  if (!connection) return {ErrorCode::kUnknown, "cannot reach " + address + ": " + error.data()};
  const std::string path = "/step-down?identity=" + Encoded(identity) + (name.empty() ? "" : "&name=" + Encoded(name));
  mg_printf(connection.get(), "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            path.c_str(), address.c_str());
  if (mg_get_response(connection.get(), error.data(), error.size(), static_cast<int>(timeout.count())) < 0) {
    return {ErrorCode::kTimeout, "no answer from " + address + ": " + error.data()};
  }
  const int status = mg_get_response_info(connection.get())->status_code;
  if (status == 202) return std::monostate();
  const std::string answer = address + " answers " + std::to_string(status) + Reason(ReadBody(connection.get()));
  if (status == 403) return {ErrorCode::kDenied, answer};
  if (status == 409 || status == 404) return {ErrorCode::kConflict, answer};
  return {ErrorCode::kUnknown, answer};
}

}  // namespace leaderelection

// HTTP for a handful of small answers. The server is CivetWeb's: prometheus-cpp's package brings it along, and it
// bounds the whole of a request's header in time and size, where cpp-httplib bounds each read and cpprestsdk's neither.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leaderelection/error.h"

struct mg_connection;
struct mg_context;

namespace leaderelection {

struct HttpRequest {
  std::string method;
  std::string path;
  std::string query;
  bool from_this_host = false;
  bool from_browser_page = false;  // has an Origin

  // The decoded value of name=value, empty for a mere name; nothing if it is not there.
  [[nodiscard]] std::optional<std::string> Parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::string body;
  std::string allow;  // 405: what is allowed instead
};

struct HostAndPort {
  std::string host;  // without brackets
  std::string port;
};
// host:port or [address]:port; nothing if it is neither.
[[nodiscard]] std::optional<HostAndPort> ParseHostAndPort(std::string_view address);

// Calls the handler from several threads. The destructor waits for requests under way.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> Start(const std::string& address,
                                                                 std::chrono::milliseconds request_timeout,
                                                                 Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] const std::string& address() const noexcept { return address_; }

 private:
  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {}
  int Serve(mg_connection* connection) const;

  const Handler handler_;
  mg_context* context_ = nullptr;
  std::string address_;
};

}  // namespace leaderelection

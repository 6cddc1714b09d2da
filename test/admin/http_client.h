// Just enough of an HTTP client to ask properly and to misbehave.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace leaderelection {

struct Answer {
  int status = 0;  // 0: the connection was closed without one
  std::string head;
  std::string body;
};

// One connection to host:port, made at construction; throws std::system_error if it cannot be.
class HttpConnection {
 public:
  explicit HttpConnection(const std::string& address);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // False once the server has closed.
  bool Send(std::string_view bytes) const;
  // Whether the server has closed its side or sent something within the time.
  [[nodiscard]] bool HearsWithin(std::chrono::milliseconds time) const;
  // Whether it has closed or reset the connection within the time; what it sends before is passed over.
  [[nodiscard]] bool ClosedWithin(std::chrono::milliseconds time) const;
  // Everything up to the server's close, 30 s at most.
  [[nodiscard]] Answer Read() const;

 private:
  int socket_ = -1;
};

Answer Ask(const std::string& address, const std::string& method, const std::string& target,
           const std::string& headers = "");

}  // namespace leaderelection

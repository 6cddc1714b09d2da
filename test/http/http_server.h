// The server's side of HTTP, as far as the scripts of these tests need it.

#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/scripted_server.h"

namespace leaderelection::testing {

struct Asked {
  std::string method;
  std::string target;
  std::string head;  // request line and headers, as they came
  std::string body;

  // The value of the first header of this name; empty if there is none.
  [[nodiscard]] std::string Header(std::string_view name) const;
};

// Reads one request after the other from a connection.
class Requests {
 public:
  explicit Requests(Conversation& client) : client_(client) {}
  // None when the client has closed.
  std::optional<Asked> Next();

 private:
  Conversation& client_;
  std::string unread_;
};

// "HTTP/1.1 200 OK" with a Content-Length, and the body.
std::string Reply(int status, std::string_view body, std::string_view headers = "");
std::string Chunk(std::string_view piece);
inline constexpr std::string_view kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// A script that answers every request with what `answer` gives.
ScriptedServer::Script Answering(std::function<std::string(const Asked&)> answer);
// The same, and notes down what was asked.
class Notes {
 public:
  void Add(const Asked& asked);
  [[nodiscard]] std::vector<Asked> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Asked> asked_;
};

}  // namespace leaderelection::testing

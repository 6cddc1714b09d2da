// HTTPS to one server by libcurl: requests that end when they are answered, when their time is over, or at once when a
// stop is requested.

#pragma once

#include <curl/curl.h>
#include <leaderelection/error.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace example_operator {

struct ServerSettings {
  std::string server;                     // "https://10.96.0.1:443"
  std::filesystem::path service_account;  // its ca.crt is all that is trusted; its token is read anew for each request
  std::string user_agent;
};

struct HttpRequest {
  std::string method = "GET";
  std::string target;  // path and query
  std::string body;
  std::string content_type;
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
};

class HttpExchange;

// For one thread. Exchanges under way share its connections and must not outlive it.
class HttpClient {
 public:
  explicit HttpClient(ServerSettings settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Does not wait.
  [[nodiscard]] std::unique_ptr<HttpExchange> Start(const HttpRequest& request);
  // Waits for the whole answer; anything but a 2xx is an error, told in the server's words.
  [[nodiscard]] leaderelection::Result<std::string> Send(const HttpRequest& request, const std::stop_token& stop);

 private:
  friend class HttpExchange;
  const ServerSettings settings_;
  CURLM* const transfers_;
};

// An answer as it comes in. Broken off when it goes.
class HttpExchange {
 public:
  HttpExchange(HttpClient& client, const HttpRequest& request);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  // The next line of a 2xx answer. Nothing once the answer is complete, `until` has come, or a stop was requested.
  [[nodiscard]] leaderelection::Result<std::optional<std::string>> NextLine(std::chrono::steady_clock::time_point until,
                                                                            const std::stop_token& stop);
  [[nodiscard]] leaderelection::Result<std::string> WholeBody(const std::stop_token& stop);

 private:
  using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

  static std::size_t Receive(char* bytes, std::size_t size, std::size_t count, void* exchange);
  [[nodiscard]] bool IsGood() const;  // a 2xx, as far as its head has come
  [[nodiscard]] bool HasLine() const { return IsGood() && received_.find('\n') != std::string::npos; }
  // False if `until` came first, or the stop.
  bool WaitFor(bool (HttpExchange::*enough)() const, std::chrono::steady_clock::time_point until,
               const std::stop_token& stop);
  [[nodiscard]] bool IsOver() const { return result_.has_value(); }
  [[nodiscard]] long StatusCode() const;
  [[nodiscard]] std::optional<leaderelection::Error> Failure() const;

  HttpClient& client_;
  CURL* const handle_;
  Headers headers_{nullptr, &curl_slist_free_all};
  std::string body_;
  std::string received_;
  std::optional<leaderelection::Error> not_sent_;
  std::optional<CURLcode> result_;
};

}  // namespace example_operator

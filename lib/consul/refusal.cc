#include "consul/refusal.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

namespace leaderelection::consul {
namespace {

constexpr std::size_t kLongestQuote = 300;
constexpr int kLongestRetryAfter = 3600;

// A definite no is only what Consul says itself; 5xx ("No cluster leader", "rpc error making call"), a redirect and a
// page of some proxy leave open what became of the request.
ErrorCode CodeOf(const http::Response& response) {
  switch (response.status) {
    case 400:
    case 405:
    case 413:
      return ErrorCode::kInvalid;
    case 401:
    case 403:
      return ErrorCode::kDenied;
    case 429:
      return ErrorCode::kThrottled;
    default:
      return ErrorCode::kUnknown;
  }
}

std::optional<std::chrono::milliseconds> RetryAfter(const http::Response& response) {
  const std::string* text = response.Find("Retry-After");
  if (text == nullptr) return std::nullopt;
  int seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || end != text->data() + text->size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kLongestRetryAfter));
}

}  // namespace

std::string Quoted(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::string quoted(text.substr(0, kLongestQuote));
  for (char& c : quoted) {
    if (c < ' ' || c > '~') c = ' ';
  }
  return text.size() > kLongestQuote ? quoted + "..." : quoted;
}

bool SaysDenied(std::string_view text) {
  return text.find("Permission denied") != std::string_view::npos ||
         text.find("ACL not found") != std::string_view::npos;
}

Error Refusal(const std::string& action, const http::Response& response) {
  Error error;
  error.code = CodeOf(response);
  const std::string status = std::to_string(response.status);
  if (error.code == ErrorCode::kDenied) {
    error.message = "Consul does not let this token " + action + " (" + status + ")";
  } else {
    error.message = "Consul does not " + action + " (" + status + ")";
  }
  if (!response.body.empty()) error.message += ": " + Quoted(response.body);
  error.retry_after = RetryAfter(response);
  return error;
}

}  // namespace leaderelection::consul

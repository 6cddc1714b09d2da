#include "kubernetes/api_status.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

namespace leaderelection {
namespace {

constexpr std::size_t kLongestMessage = 300;
constexpr std::chrono::seconds kLongestRetryAfter{60};

bool IsSuccess(int status) { return 200 <= status && status < 300; }

// The Status object that refuses, if that is what the reply is.
std::optional<Json> ReadStatus(const http::Response& response) {
  auto parsed = ParseBoundedJson(response.body);
  if (!parsed) return std::nullopt;
  Json status = std::move(parsed).value();
  const bool refuses = TextAt(status, "kind") == "Status" && TextAt(status, "apiVersion") == "v1" &&
                       TextAt(status, "status") == "Failure";
  if (!refuses) return std::nullopt;
  const auto code = status.find("code");
  if (code == status.end() || !code->is_number_integer() || *code != response.status) return std::nullopt;
  return status;
}

std::string DescribeStranger(const http::Response& response) {
  const std::string* type = response.Find("Content-Type");
  std::string what = "the server answered " + std::to_string(response.status);
  if (300 <= response.status && response.status < 400) return what + ", a redirect, which is not followed";
  return what + (type ? " with " + Excerpt(*type, 60) : " without a content type") +
         ", which is no answer of an API server";
}

// A Status may be about the API or the namespace instead of the Lease.
bool IsAbout(const Json& status, const LeaseName& lease) {
  const auto details = status.find("details");
  return details != status.end() && TextAt(*details, "name") == lease.name && TextAt(*details, "kind") == "leases";
}

ErrorCode CodeOf(Verb verb, const LeaseName& lease, int code, const Json& status) {
  switch (code) {
    case 401:
    case 403:
      return ErrorCode::kDenied;
    case 404:
      return verb != Verb::kCreate && IsAbout(status, lease) ? ErrorCode::kNotFound : ErrorCode::kInvalid;
    case 409:
      if (verb != Verb::kCreate) return ErrorCode::kConflict;
      // A quota that was changed meanwhile refuses with 409 too: not now.
      return TextAt(status, "reason") == "AlreadyExists" ? ErrorCode::kAlreadyExists : ErrorCode::kThrottled;
    case 400:
    case 405:
    case 413:
    case 415:
    case 422:
      return ErrorCode::kInvalid;
    case 429:
      return ErrorCode::kThrottled;
    default:
      return ErrorCode::kUnknown;
  }
}

}  // namespace

std::optional<std::chrono::milliseconds> RetryAfter(const http::Response& response) {
  const std::string* text = response.Find("Retry-After");
  if (!text) return std::nullopt;
  unsigned seconds = 0;
  const char* end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, seconds);
  if (error == std::errc::result_out_of_range) return kLongestRetryAfter;
  if (error != std::errc() || stopped != end) return std::nullopt;
  return std::min<std::chrono::seconds>(std::chrono::seconds(seconds), kLongestRetryAfter);
}

Error TranslateRefusal(Verb verb, const LeaseName& lease, const http::Response& response) {
  const bool may_wait = response.status == 429 || response.status >= 500;
  const auto retry_after = may_wait ? RetryAfter(response) : std::nullopt;
  const auto status = ReadStatus(response);
  if (!status) return {ErrorCode::kUnknown, DescribeStranger(response), retry_after};
  std::string message = "the API server answered " + std::to_string(response.status) + ": ";
  message += Excerpt(TextAt(*status, "message"), kLongestMessage);
  return {CodeOf(verb, lease, response.status, *status), std::move(message), retry_after};
}

Result<Stored> TranslateObject(Verb verb, const LeaseName& lease, const http::Response& response) {
  if (!IsSuccess(response.status)) return TranslateRefusal(verb, lease, response);
  auto parsed = ParseBoundedJson(response.body);
  if (!parsed) {
    return {ErrorCode::kUnknown, DescribeStranger(response) + ": " + parsed.error().message};
  }
  auto stored = DecodeLease(std::move(parsed).value(), lease);
  if (stored || verb == Verb::kGet) return stored;
  return {ErrorCode::kUnknown, "the write was answered with " + stored.error().message};
}

bool IsExpired(const Json& status) {
  if (!status.is_object()) return false;
  const auto code = status.find("code");
  return code != status.end() && code->is_number_integer() && *code == 410;
}

}  // namespace leaderelection

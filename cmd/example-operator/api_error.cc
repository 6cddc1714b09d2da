#include "api_error.h"

#include <nlohmann/json.hpp>

namespace example_operator {

namespace {

using leaderelection::Error;
using leaderelection::ErrorCode;

ErrorCode ToCode(long status) {
  switch (status) {
    case 400:
    case 422:
      return ErrorCode::kInvalid;
    case 401:
    case 403:
      return ErrorCode::kDenied;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return ErrorCode::kConflict;
    case 429:
      return ErrorCode::kThrottled;
    default:
      return ErrorCode::kUnknown;
  }
}

}  // namespace

Error ApiError(long status, const std::string& body) {
  const auto answer = nlohmann::json::parse(body, nullptr, false);
  std::string message = "HTTP status " + std::to_string(status);
  if (answer.is_object() && answer.contains("message") && answer["message"].is_string()) {
    message += ": " + answer["message"].get<std::string>();
  }
  return {ToCode(status), message, std::nullopt};
}

}  // namespace example_operator

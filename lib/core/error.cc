#include "leaderelection/error.h"

namespace leaderelection {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kAlreadyExists:
      return "already-exists";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kDenied:
      return "denied";
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kThrottled:
      return "throttled";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kHeld:
      return "held";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace leaderelection

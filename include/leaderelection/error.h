// What can go wrong in the world, as values. Mistakes of the programmer throw instead (std::invalid_argument,
// std::logic_error).

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "leaderelection/export.h"

namespace leaderelection {

enum class ErrorCode {
  // Well-formed refusals of the backend: the request was understood and changed nothing.
  kNotFound,       // there is no record
  kAlreadyExists,  // Create: there is one already
  kConflict,       // Update: the record is no longer the version expected
  kDenied,         // not allowed: credentials, permissions
  kInvalid,        // the backend will never take this request
  kThrottled,      // not now; see retry_after
  kCorrupt,        // something is stored that is no record of an election; it is never overwritten
  kHeld,           // TryAcquire: another candidate leads, or may still lead
  // Everything else: a write may have landed all the same, and only a fresh read tells.
  kTimeout,  // no answer before the deadline
  kUnknown,  // broken connection, server error, unreadable answer
};

// Rule 7: everything but a well-formed refusal of the backend.
constexpr bool MayHaveLanded(ErrorCode code) { return code == ErrorCode::kTimeout || code == ErrorCode::kUnknown; }

// "not-found", "conflict", ...; for logs and metrics.
LEADERELECTION_EXPORT std::string_view ToString(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kUnknown;
  std::string message;                                   // for a person; holds no secret
  std::optional<std::chrono::milliseconds> retry_after;  // the backend's wish, honoured within the term
};

// A value or an Error. Reading the side that is not there throws std::bad_variant_access.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}
  Result(ErrorCode code, std::string message) : Result(Error{code, std::move(message), std::nullopt}) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const T& value() const& { return std::get<0>(content_); }
  T&& value() && { return std::get<0>(std::move(content_)); }
  const T& operator*() const& { return value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, Error> content_;
};

// Success without a value, or an Error.
using Status = Result<std::monostate>;

}  // namespace leaderelection

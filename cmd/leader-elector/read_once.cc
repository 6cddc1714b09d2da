#include "read_once.h"

#include <future>
#include <memory>

#include "options/duration.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

std::string Advice(ErrorCode code) {
  switch (code) {
    case ErrorCode::kDenied:
      return "; check the credentials and permissions";
    case ErrorCode::kCorrupt:
      return "; something else is stored there, choose another name or remove it";
    case ErrorCode::kTimeout:
    case ErrorCode::kUnknown:
      return "; is the server running, and the address right?";
    default:
      return "";
  }
}

}  // namespace

std::optional<Stored> ReadOnce(ResourceLock& lock, std::chrono::milliseconds timeout) {
  auto answer = std::make_shared<std::promise<Result<Stored>>>();
  std::future<Result<Stored>> future = answer->get_future();
  lock.Get(BootClock::now() + timeout,
           Done<Stored>([answer](Result<Stored> result) { answer->set_value(std::move(result)); }));
  const bool in_time = future.wait_for(timeout) == std::future_status::ready;
  const Result<Stored> result =
      in_time ? future.get() : Result<Stored>(ErrorCode::kTimeout, "no answer within " + FormatDuration(timeout));
  if (result.ok()) return result.value();
  const Error& error = result.error();
  if (error.code == ErrorCode::kNotFound) return std::nullopt;
  throw UsageError("cannot read " + lock.Describe() + ": " + error.message + Advice(error.code));
}

}  // namespace leaderelection::command

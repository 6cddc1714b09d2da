#include "consul/transaction.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "consul/key_value.h"
#include "consul/refusal.h"
#include "json/base64.h"

namespace leaderelection::consul {
namespace {

using Json = nlohmann::json;

constexpr const char* kAction = "write the key";

Json Operation(const Transaction& transaction, const char* verb) { return {{"Verb", verb}, {"Key", transaction.key}}; }

Json Writing(const Transaction& transaction, const char* verb, const std::string& value) {
  Json operation = Operation(transaction, verb);
  operation["Value"] = value;
  operation["Flags"] = kLockFlag;
  return operation;
}

Outcome Failed(Error error) { return {.kind = Outcome::Kind::kFailed, .error = std::move(error)}; }

Outcome Unreadable() {
  return Failed({ErrorCode::kUnknown, "Consul's answer to a transaction is not understood", std::nullopt});
}

// The last operation is the one that gave the key its content.
Outcome ParseResults(const Json& body) {
  const Json& results = body.at("Results");
  if (!results.is_array() || results.empty()) return Unreadable();
  // By reference, for a fraction, a sign or a boolean would be made a number of.
  const auto index = results.back().at("KV").at("ModifyIndex").get_ref<const std::uint64_t&>();
  if (index == 0) return Unreadable();
  return {.kind = Outcome::Kind::kWritten, .index = index};
}

bool Holds(const std::string& text, std::string_view piece) { return text.find(piece) != std::string::npos; }

// Consul tells operations that failed by a sentence each, the first of which stopped it.
Outcome ParseErrors(const Json& body) {
  const Json& errors = body.at("Errors");
  if (!errors.is_array() || errors.empty()) return Unreadable();
  const auto what = errors.front().at("What").get<std::string>();
  const auto outcome = [&what](Outcome::Kind kind, ErrorCode code, const std::string& message) {
    return Outcome{.kind = kind, .error = {code, message + ": " + Quoted(what), std::nullopt}};
  };
  if (Holds(what, "lock delay")) {
    return outcome(Outcome::Kind::kFailed, ErrorCode::kThrottled, "the lock delay is not over");
  }
  if (SaysDenied(what)) {
    return outcome(Outcome::Kind::kFailed, ErrorCode::kDenied, "Consul does not let this token write the key");
  }
  if (Holds(what, "invalid session")) {
    return outcome(Outcome::Kind::kSessionGone, ErrorCode::kConflict, "our session is gone");
  }
  return outcome(Outcome::Kind::kChanged, ErrorCode::kConflict, "the key has changed");
}

}  // namespace

std::string ToJson(const Transaction& transaction) {
  Json operations = Json::array();
  const auto add = [&operations](Json operation) { operations.push_back({{"KV", std::move(operation)}}); };
  const std::string value = EncodeBase64(transaction.value);
  if (transaction.expected_index == 0) {
    add(Operation(transaction, "check-not-exists"));
  } else {
    Json check = Operation(transaction, "check-index");
    check["Index"] = transaction.expected_index;
    add(std::move(check));
  }
  if (!transaction.unlock.empty()) {
    Json unlock = Writing(transaction, "unlock", value);
    unlock["Session"] = transaction.unlock;
    add(std::move(unlock));
  }
  if (!transaction.lock.empty()) {
    Json lock = Writing(transaction, "lock", value);
    lock["Session"] = transaction.lock;
    add(std::move(lock));
  } else if (transaction.unlock.empty()) {
    add(Writing(transaction, "set", value));
  }
  return operations.dump();
}

Outcome ParseOutcome(const http::Response& response) {
  if (response.status != 200 && response.status != 409) return Failed(Refusal(kAction, response));
  try {
    const Json body = Json::parse(response.body);
    return response.status == 200 ? ParseResults(body) : ParseErrors(body);
  } catch (const Json::exception&) {
    return Unreadable();
  }
}

}  // namespace leaderelection::consul

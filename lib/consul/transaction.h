// One write, as a transaction on one key.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/client.h"
#include "leaderelection/error.h"

namespace leaderelection::consul {

// All or nothing, in this order: the key is as it was judged, whoever had it locked lets go, we lock it.
struct Transaction {
  std::string key;
  std::uint64_t expected_index = 0;  // zero: there must be no such key
  std::string unlock;                // the session found on the key, if it must let go
  std::string lock;                  // the session that locks it; empty: it stays free
  std::string value;
};

// The body of /v1/txn. The key is UTF-8.
[[nodiscard]] std::string ToJson(const Transaction& transaction);

struct Outcome {
  enum class Kind {
    kWritten,
    kChanged,      // the key is not as it was judged, or another session has it
    kSessionGone,  // Consul does not know the session that is to lock
    kFailed,       // `error` says why
  };
  Kind kind = Kind::kFailed;
  std::uint64_t index = 0;  // kWritten: the key's ModifyIndex, which this write gave it
  Error error;              // all but kWritten
};

[[nodiscard]] Outcome ParseOutcome(const http::Response& response);

}  // namespace leaderelection::consul

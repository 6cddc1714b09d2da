// A read of one key, answered.

#pragma once

#include <cstdint>
#include <optional>

#include "consul/key_value.h"
#include "http/client.h"
#include "leaderelection/error.h"

namespace leaderelection::consul {

struct KeyRead {
  std::optional<KeyValue> key;  // nothing: there is no such key
  std::uint64_t index = 0;      // as of which this is so
};

// An absence counts only if Consul says so itself, with an index; a proxy's 404 is no news of the key.
[[nodiscard]] Result<KeyRead> ParseKeyRead(const Result<http::Response>& answer);

}  // namespace leaderelection::consul

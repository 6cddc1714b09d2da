// The options, checked and in the form the connections take.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leaderelection/redis_lock.h"
#include "net/endpoint.h"
#include "net/tls.h"
#include "redis/node.h"

namespace leaderelection::redis {

struct CheckedOptions {
  std::vector<net::Endpoint> servers;  // one, or a Cluster's
  bool is_cluster = false;
  std::vector<net::Endpoint> sentinels;  // none: no Sentinel
  std::string sentinel_master;
  LinkSettings sentinel_link;
  NodeSettings node;
};

// Throws std::invalid_argument, naming every wrong field.
[[nodiscard]] CheckedOptions Check(const RedisOptions& options);

}  // namespace leaderelection::redis

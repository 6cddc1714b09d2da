#include <sstream>

#include "leaderelection/redis_lock.h"
#include "locks/locks.h"

namespace leaderelection::command {

namespace {

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream rest(list);
  for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

std::shared_ptr<ResourceLock> MakeRedisLock(const Values& values, const LogSink& /*log*/) {
  const std::string name = RequiredName(values);
  RedisOptions options =
      values.Given("redis-url") ? RedisOptions::FromUrl(values.Text("redis-url")) : RedisOptions::FromEnvironment();
  if (values.Given("redis-password-file")) {
    options.password.clear();
    options.password_file = values.Text("redis-password-file");
  }
  if (values.Given("redis-key-prefix")) options.key_prefix = values.Text("redis-key-prefix");
  if (values.Given("redis-sentinels")) {
    options.sentinels = Split(values.Text("redis-sentinels"));
    if (options.tls.enabled) options.sentinel_tls.enabled = true;
  }
  if (values.Given("redis-sentinel-master")) options.sentinel_master = values.Text("redis-sentinel-master");
  if (values.Given("redis-ca-file")) {
    options.tls.ca_file = values.Text("redis-ca-file");
    if (options.sentinel_tls.enabled) options.sentinel_tls.ca_file = options.tls.ca_file;
  }
  return std::make_shared<RedisLock>(std::make_shared<RedisClient>(options), name);
}

}  // namespace leaderelection::command

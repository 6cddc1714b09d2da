#include "candidate/locks.h"

#include <stdexcept>

#include "leaderelection/file_lock.h"
#ifdef CANDIDATE_CONSUL
#include "leaderelection/consul_lock.h"
#endif
#ifdef CANDIDATE_KUBERNETES
#include "leaderelection/lease_lock.h"
#endif
#ifdef CANDIDATE_REDIS
#include "leaderelection/redis_lock.h"
#endif

namespace leaderelection::candidate {
namespace {

LockMaker LeaseLocks([[maybe_unused]] const Options& options) {
#ifdef CANDIDATE_KUBERNETES
  const auto config = KubeConfig::FromFiles({options.kubeconfig});
  if (!config) throw std::invalid_argument(config.error().message);
  const auto client = KubeClient::Make(*config);
  if (!client) throw std::invalid_argument(client.error().message);
  return [client = *client, options](const std::string& name) {
    return std::make_shared<LeaseLock>(
        client, LeaseLockOptions{.lease_namespace = options.lease_namespace, .lease_name = name});
  };
#else
  throw std::invalid_argument("built without the Kubernetes backend");
#endif
}

LockMaker RedisLocks([[maybe_unused]] const Options& options) {
#ifdef CANDIDATE_REDIS
  const auto client = std::make_shared<RedisClient>(RedisOptions::FromUrl(options.redis));
  return [client](const std::string& name) { return std::make_shared<RedisLock>(client, name); };
#else
  throw std::invalid_argument("built without the Redis backend");
#endif
}

LockMaker ConsulLocks([[maybe_unused]] const Options& options) {
#ifdef CANDIDATE_CONSUL
  ConsulOptions consul = ConsulOptions::FromEnvironment();
  consul.address = options.consul;
  const auto client = std::make_shared<ConsulClient>(consul);
  return [client](const std::string& name) {
    return std::make_shared<ConsulLock>(client, ConsulLockOptions{.key = name});
  };
#else
  throw std::invalid_argument("built without the Consul backend");
#endif
}

}  // namespace

LockMaker MakeLocks(const Options& options) {
  if (!options.file.empty()) {
    return [path = options.file](const std::string& name) { return std::make_shared<FileLock>(path + name); };
  }
  if (!options.redis.empty()) return RedisLocks(options);
  if (!options.consul.empty()) return ConsulLocks(options);
  if (!options.kubeconfig.empty()) return LeaseLocks(options);
  throw std::invalid_argument("give one of --file, --redis, --consul and --kubeconfig");
}

}  // namespace leaderelection::candidate

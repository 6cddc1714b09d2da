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

std::shared_ptr<ResourceLock> MakeLeaseLock([[maybe_unused]] const Options& options) {
#ifdef CANDIDATE_KUBERNETES
  const auto config = KubeConfig::FromFiles({options.kubeconfig});
  if (!config) throw std::invalid_argument(config.error().message);
  const auto client = KubeClient::Make(*config);
  if (!client) throw std::invalid_argument(client.error().message);
  return std::make_shared<LeaseLock>(
      *client, LeaseLockOptions{.lease_namespace = options.lease_namespace, .lease_name = options.name});
#else
  throw std::invalid_argument("built without the Kubernetes backend");
#endif
}

std::shared_ptr<ResourceLock> MakeRedisLock([[maybe_unused]] const Options& options) {
#ifdef CANDIDATE_REDIS
  return std::make_shared<RedisLock>(std::make_shared<RedisClient>(RedisOptions::FromUrl(options.redis)), options.name);
#else
  throw std::invalid_argument("built without the Redis backend");
#endif
}

std::shared_ptr<ResourceLock> MakeConsulLock([[maybe_unused]] const Options& options) {
#ifdef CANDIDATE_CONSUL
  ConsulOptions consul = ConsulOptions::FromEnvironment();
  consul.address = options.consul;
  return std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(consul), ConsulLockOptions{.key = options.name});
#else
  throw std::invalid_argument("built without the Consul backend");
#endif
}

}  // namespace

std::shared_ptr<ResourceLock> MakeLock(const Options& options) {
  if (!options.file.empty()) return std::make_shared<FileLock>(options.file);
  if (!options.redis.empty()) return MakeRedisLock(options);
  if (!options.consul.empty()) return MakeConsulLock(options);
  if (!options.kubeconfig.empty()) return MakeLeaseLock(options);
  throw std::invalid_argument("give one of --file, --redis, --consul and --kubeconfig");
}

}  // namespace leaderelection::candidate

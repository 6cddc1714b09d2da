#include <memory>
#include <string>

#include "leaderelection/redis_lock.h"
#include "leaderelection/testing/lock_contract.h"
#include "redis/redis_servers.h"

namespace leaderelection::testing {
namespace {

// Half of the participants share a client, half have one of their own.
template <class Kind>
class RedisBackend {
 public:
  static constexpr LockTraits kTraits{.watches = true, .expires = true};

  RedisBackend() {
    RequireRedis();
    if (::testing::Test::IsSkipped() || ::testing::Test::HasFatalFailure()) return;
    servers_ = std::make_unique<RedisServers>(RedisServers::Shared(Kind::kName));
    shared_ = std::make_shared<RedisClient>(servers_->Options());
  }

  std::shared_ptr<ResourceLock> Connect() {
    const bool shares = ++connected_ % 2 == 0;
    return std::make_shared<RedisLock>(shares ? shared_ : std::make_shared<RedisClient>(servers_->Options()), name_);
  }

  void Delete() { ASSERT_EQ(servers_->Cli(Kind::kServer, {"DEL", "lock:" + name_}), "1"); }

 private:
  const std::string name_ = UniqueName("contract");
  std::unique_ptr<RedisServers> servers_;
  std::shared_ptr<RedisClient> shared_;
  int connected_ = 0;
};

struct Standalone {
  static constexpr const char* kName = "standalone";
  static constexpr const char* kServer = "server";
};
struct Tls {
  static constexpr const char* kName = "tls";
  static constexpr const char* kServer = "server";
};
struct Sentinel {
  static constexpr const char* kName = "sentinel";
  static constexpr const char* kServer = "primary";
};
struct Cluster {
  static constexpr const char* kName = "cluster";
  static constexpr const char* kServer = "node-1";
};

INSTANTIATE_TYPED_TEST_SUITE_P(RedisStandalone, LockContract, RedisBackend<Standalone>);
INSTANTIATE_TYPED_TEST_SUITE_P(RedisTls, LockContract, RedisBackend<Tls>);
INSTANTIATE_TYPED_TEST_SUITE_P(RedisSentinel, LockContract, RedisBackend<Sentinel>);
INSTANTIATE_TYPED_TEST_SUITE_P(RedisCluster, LockContract, RedisBackend<Cluster>);

}  // namespace
}  // namespace leaderelection::testing

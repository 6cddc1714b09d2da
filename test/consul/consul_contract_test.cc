// The contract of a backend, on a real agent with ACLs: over HTTP, and over HTTPS with a client certificate.

#include "consul/consul_server.h"
#include "leaderelection/consul_lock.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

template <ConsulOptions (ConsulServer::*kOptions)() const>
class ConsulBackend {
 public:
  static constexpr LockTraits kTraits{};

  ConsulBackend() { RequireConsul(); }

  // Each with a client of its own, as other processes would have.
  std::shared_ptr<ResourceLock> Connect() {
    const auto client = std::make_shared<ConsulClient>((server_.*kOptions)());
    return std::make_shared<ConsulLock>(client, ConsulLockOptions{.key = key_});
  }
  void Delete() { server_.Delete(key_); }

 private:
  const ConsulServer server_ = ConsulServer::Shared();
  const std::string key_ = server_.UniqueKey();
};

using Backends = ::testing::Types<ConsulBackend<&ConsulServer::Options>, ConsulBackend<&ConsulServer::TlsOptions>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Consul, LockContract, Backends);

}  // namespace
}  // namespace leaderelection::testing

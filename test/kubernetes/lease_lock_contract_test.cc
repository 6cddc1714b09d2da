#include <memory>

#include "kubernetes/test_cluster.h"
#include "leaderelection/lease_lock.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

// Every participant has a client of its own, as processes have.
class LeaseBackend {
 public:
  LeaseBackend() { RequireCluster(); }
  static constexpr LockTraits kTraits{.watches = true, .patience = std::chrono::seconds(60)};

  std::shared_ptr<ResourceLock> Connect() { return TestCluster::Get().Lock("elector", lease_); }
  void Delete() { TestCluster::Get().Kubectl("delete lease " + lease_); }

 private:
  const std::string lease_ = UniqueLeaseName();
};

// All participants share one client, as the elections of one process do.
class SharedClientBackend {
 public:
  SharedClientBackend() { RequireCluster(); }
  static constexpr LockTraits kTraits{.watches = true, .patience = std::chrono::seconds(60)};

  std::shared_ptr<ResourceLock> Connect() {
    if (!client_) client_ = TestCluster::Get().Client("candidate-0");
    return std::make_shared<LeaseLock>(
        client_, LeaseLockOptions{.lease_namespace = TestCluster::Get().name_space(), .lease_name = lease_});
  }
  void Delete() { TestCluster::Get().Kubectl("delete lease " + lease_); }

 private:
  std::shared_ptr<KubeClient> client_;
  const std::string lease_ = UniqueLeaseName();
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Lease, LockContract, LeaseBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(LeaseOfOneClient, LockContract, SharedClientBackend);

}  // namespace leaderelection::testing

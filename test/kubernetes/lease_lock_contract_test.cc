#include <memory>
#include <string>
#include <vector>

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

// The client observes four other Leases already, so that these locks share the watch on the namespace.
class SharedWatchBackend {
 public:
  SharedWatchBackend() { RequireCluster(); }
  static constexpr LockTraits kTraits{.watches = true, .patience = std::chrono::seconds(60)};

  std::shared_ptr<ResourceLock> Connect() {
    if (!client_) {
      client_ = TestCluster::Get().Client("candidate-4");
      for (int i = 0; i < 4; ++i) {
        others_.push_back(LockOn(lease_ + "-other-" + std::to_string(i)));
        watches_.push_back(others_.back()->Observe([](const WatchEvent&) {}));
      }
    }
    return LockOn(lease_);
  }
  void Delete() { TestCluster::Get().Kubectl("delete lease " + lease_); }

 private:
  std::shared_ptr<LeaseLock> LockOn(const std::string& lease) {
    return std::make_shared<LeaseLock>(
        client_, LeaseLockOptions{.lease_namespace = TestCluster::Get().name_space(), .lease_name = lease});
  }

  std::shared_ptr<KubeClient> client_;
  std::vector<std::shared_ptr<LeaseLock>> others_;
  std::vector<std::unique_ptr<Watch>> watches_;
  const std::string lease_ = UniqueLeaseName();
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Lease, LockContract, LeaseBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(LeaseOfOneClient, LockContract, SharedClientBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(LeaseOfSharedWatch, LockContract, SharedWatchBackend);

}  // namespace leaderelection::testing

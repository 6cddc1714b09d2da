#include "leaderelection/testing/fake_lock.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

class FakeBackend {
 public:
  static constexpr LockTraits kTraits{.watches = true};
  std::shared_ptr<ResourceLock> Connect() { return lock_; }
  void Delete() { lock_->Delete(); }

 private:
  const std::shared_ptr<FakeLock> lock_ = std::make_shared<FakeLock>();
};

// Stores whole seconds only and tells what is left, as some servers do.
class PeculiarBackend {
 public:
  static constexpr LockTraits kTraits{.watches = true, .expires = true};
  PeculiarBackend() {
    lock_->SetExpiresIn(std::chrono::seconds(59));
    lock_->SetStorable([](Record record) {
      record.lease_duration = std::chrono::ceil<std::chrono::seconds>(record.lease_duration);
      return record;
    });
  }
  std::shared_ptr<ResourceLock> Connect() { return lock_; }
  void Delete() { lock_->Delete(); }

 private:
  const std::shared_ptr<FakeLock> lock_ = std::make_shared<FakeLock>();
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fake, LockContract, FakeBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Peculiar, LockContract, PeculiarBackend);

}  // namespace
}  // namespace leaderelection::testing

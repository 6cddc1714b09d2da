#include "leaderelection/memory_lock.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

class MemoryBackend {
 public:
  static constexpr LockTraits kTraits{.watches = true};
  std::shared_ptr<ResourceLock> Connect() { return lock_; }
  void Delete() { lock_->Delete(); }

 private:
  const std::shared_ptr<MemoryLock> lock_ = std::make_shared<MemoryLock>();
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, LockContract, MemoryBackend);

}  // namespace
}  // namespace leaderelection::testing

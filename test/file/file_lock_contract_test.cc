#include <filesystem>
#include <memory>

#include "file/temporary_folder.h"
#include "leaderelection/file_lock.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

class FileBackend {
 public:
  static constexpr LockTraits kTraits{.watches = true};
  std::shared_ptr<ResourceLock> Connect() { return std::make_shared<FileLock>(folder_ / "leader"); }
  void Delete() { std::filesystem::remove(folder_ / "leader"); }

 private:
  const TemporaryFolder folder_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(File, LockContract, FileBackend);

}  // namespace
}  // namespace leaderelection::testing

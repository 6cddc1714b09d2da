// A backend of one's own in twenty lines: a table in memory, as a database would offer it.

#include <mutex>
#include <optional>

#include "leaderelection/blocking_lock.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

class Table {
 public:
  Result<Stored> Select() {
    std::lock_guard lock(mutex_);
    if (!row_) return {ErrorCode::kNotFound, "no such row"};
    return *row_;
  }
  Result<Stored> Insert(const Record& record) {
    std::lock_guard lock(mutex_);
    if (row_) return {ErrorCode::kAlreadyExists, "the row exists"};
    return *(row_ = Stored{.record = record, .version = {.order = ++writes_}});
  }
  Result<Stored> Replace(const Record& record, const Version& expected) {
    std::lock_guard lock(mutex_);
    if (!row_ || row_->version.order != expected.order) return {ErrorCode::kConflict, "the row has changed"};
    return *(row_ = Stored{.record = record, .version = {.order = ++writes_}});
  }
  void Delete() {
    std::lock_guard lock(mutex_);
    row_.reset();
  }

 private:
  std::mutex mutex_;
  std::optional<Stored> row_;
  std::uint64_t writes_ = 0;
};

class TableBackend {
 public:
  static constexpr LockTraits kTraits{.watches = false};
  std::shared_ptr<ResourceLock> Connect() {
    return std::make_shared<BlockingLock>(
        BlockingLock::Functions{
            .get = [table = table_](MonotonicTime) { return table->Select(); },
            .create = [table = table_](MonotonicTime, const Record& record) { return table->Insert(record); },
            .update = [table = table_](MonotonicTime, const Record& record,
                                       const Version& expected) { return table->Replace(record, expected); },
        },
        "table/leader");
  }
  void Delete() { table_->Delete(); }

 private:
  const std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

INSTANTIATE_TYPED_TEST_SUITE_P(Table, LockContract, TableBackend);

}  // namespace
}  // namespace leaderelection::testing

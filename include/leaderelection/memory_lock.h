// An election among electors of one process: nothing to install, nothing to connect to.

#pragma once

#include <memory>
#include <string>

#include "leaderelection/export.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// Share one MemoryLock among the electors. Answers before the call returns; watchers hear of a change before the writer
// does. The fencing number is a counter. Thread-safe.
class LEADERELECTION_EXPORT MemoryLock final : public ResourceLock {
 public:
  explicit MemoryLock(std::string name = "memory");  // throws std::invalid_argument if the name is empty
  ~MemoryLock() override;

  void Get(MonotonicTime deadline, Done<Stored> done) override;
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override;
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override;
  [[nodiscard]] std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) override;
  [[nodiscard]] std::string Describe() const override;

  // Removes the record, as an administrator would; the number goes on rising.
  void Delete();

 private:
  class Register;
  const std::shared_ptr<Register> register_;
};

}  // namespace leaderelection

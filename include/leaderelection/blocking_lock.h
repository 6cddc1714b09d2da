// Makes a ResourceLock of three plain blocking functions, for backends of your own.
//
//   auto lock = std::make_shared<BlockingLock>(BlockingLock::Functions{
//       .get = [db](MonotonicTime) -> Result<Stored> { ... },
//       .create = [db](MonotonicTime, const Record& record) -> Result<Stored> { ... },
//       .update = [db](MonotonicTime, const Record& record, const Version& expected) -> Result<Stored> { ... },
//   }, "my-database/leader");

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leaderelection/export.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// Runs the functions on one thread of its own, one at a time; the contract of each is ResourceLock's. A function that
// throws answers kUnknown with what it said. A function that blocks past its deadline holds up the requests behind it
// but never a step-down; requests whose deadline passes in the queue are answered kTimeout without being run. The
// destructor waits for the running function and drops the queue.
class LEADERELECTION_EXPORT BlockingLock final : public ResourceLock {
 public:
  struct Functions {
    std::function<Result<Stored>(MonotonicTime deadline)> get;
    std::function<Result<Stored>(MonotonicTime deadline, const Record&)> create;
    std::function<Result<Stored>(MonotonicTime deadline, const Record&, const Version& expected)> update;
  };

  // Throws std::invalid_argument, naming each, if a function or the name is missing.
  BlockingLock(Functions functions, std::string name);
  ~BlockingLock() override;

  void Get(MonotonicTime deadline, Done<Stored> done) override;
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override;
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override;
  [[nodiscard]] std::string Describe() const override;

 private:
  class Worker;
  const std::unique_ptr<Worker> worker_;
};

}  // namespace leaderelection

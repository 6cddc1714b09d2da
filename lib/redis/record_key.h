// One election's key: which scripts are run on it, and what their answers mean.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"
#include "redis/reply.h"
#include "redis/script.h"

namespace leaderelection::redis {

// Thread-safe. Remembers the highest number it saw, so that none is given twice, and nothing else.
class RecordKey {
 public:
  explicit RecordKey(std::string key) : key_(std::move(key)) {}

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] std::uint64_t highest_seen() const { return highest_seen_; }

  [[nodiscard]] ScriptCall GetCall() const;
  [[nodiscard]] Result<ScriptCall> CreateCall(const Record& record) const;
  [[nodiscard]] Result<ScriptCall> UpdateCall(const Record& record, const Version& expected) const;

  [[nodiscard]] Result<Stored> ReadGot(const Result<Reply>& reply);
  [[nodiscard]] Result<Stored> ReadWritten(const Result<Reply>& reply);
  // A record as it is stored or published.
  [[nodiscard]] Result<Stored> ReadRecord(const std::string& text);

 private:
  [[nodiscard]] Result<ScriptCall> WriteCall(const Script& script, const Record& record, std::uint64_t lowest) const;
  [[nodiscard]] Error Foreign(const std::string& why) const;
  void Saw(std::uint64_t order);

  const std::string key_;
  std::atomic<std::uint64_t> highest_seen_{0};
};

}  // namespace leaderelection::redis

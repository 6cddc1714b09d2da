// Writes the records that this candidate sends.

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "leaderelection/clock.h"
#include "leaderelection/record.h"

namespace leaderelection {

struct Instant {
  MonotonicTime now;
  WallTime wall;
};

class RecordAuthor {
 public:
  RecordAuthor(std::string identity, std::chrono::milliseconds lease_duration, std::function<Record(Record)> storable);

  // `known` is the record to be replaced, if there is one.
  Record Acquire(Instant at, const std::optional<Record>& known);
  Record Renew(Instant at, const Record& ours);
  Record Release(Instant at, const Record& ours);

  void SetMetadata(Metadata metadata) { metadata_ = std::move(metadata); }

 private:
  friend class ElectionMemory;  // test/model puts what is remembered aside and back

  WallTime NextRenewTime(Instant at, WallTime after = WallTime::min());

  const std::string identity_;
  const std::chrono::milliseconds lease_duration_;
  const std::function<Record(Record)> storable_;
  Metadata metadata_;
  std::optional<Instant> last_written_;
};

}  // namespace leaderelection

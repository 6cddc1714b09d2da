// Who leads, as the election tells it, and what of it is news to the program.

#pragma once

#include <mutex>
#include <optional>

#include "leaderelection/clock.h"
#include "leaderelection/leader_info.h"
#include "leaderelection/record.h"

namespace leaderelection {

// Told by the executor's thread, asked by anyone.
class LeaderView {
 public:
  // The change of leader that this record is; nothing if it is the same leader's renewal, or nobody leads as before.
  std::optional<LeaderChange> OnRecord(MonotonicTime now, const std::optional<Record>& record);

  [[nodiscard]] std::optional<LeaderInfo> Current(MonotonicTime now) const;

 private:
  [[nodiscard]] std::optional<LeaderInfo> CurrentLocked(MonotonicTime now) const;

  mutable std::mutex mutex_;
  std::optional<Record> record_;  // of a holder that has a name
  MonotonicTime seen_at_;
};

}  // namespace leaderelection

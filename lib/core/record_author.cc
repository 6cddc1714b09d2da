#include "core/record_author.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace leaderelection {

using std::chrono::microseconds;

RecordAuthor::RecordAuthor(std::string identity, std::chrono::milliseconds lease_duration,
                           std::function<Record(Record)> storable)
    : identity_(std::move(identity)), lease_duration_(lease_duration), storable_(std::move(storable)) {}

// Rule 4: the change of renew_time is the sign of life, so it rises even while the wall clock stands still or is set
// back. Rule 3 needs it too: no two records we send are equal.
WallTime RecordAuthor::NextRenewTime(Instant at, WallTime after) {
  WallTime time = std::max(at.wall, after);
  if (last_written_) {
    const auto elapsed = std::chrono::floor<microseconds>(at.now - last_written_->now);
    time = std::max(time, last_written_->wall + std::max(elapsed, microseconds(1)));
  }
  last_written_ = Instant{at.now, time};
  return time;
}

Record RecordAuthor::Acquire(Instant at, const std::optional<Record>& known) {
  // A namesake before us had perhaps the same wall clock, and stopped with it: our records must not look like his. Nor
  // like those of another namesake who does the same, so the uptime adds what two of them do not share.
  const bool namesake = known && known->holder_identity == identity_;
  const auto apart = std::chrono::floor<microseconds>(at.now.time_since_epoch() % std::chrono::seconds(1));
  const WallTime time = NextRenewTime(at, namesake ? known->renew_time + microseconds(1) + apart : WallTime::min());
  Record record{.holder_identity = identity_,
                .lease_duration = lease_duration_,
                .acquire_time = time,
                .renew_time = time,
                .transitions = 0,
                .metadata = metadata_};
  if (known) {
    // As client-go counts: a release is a change of holder too, a leftover under our own name is none.
    const bool countable = known->transitions < std::numeric_limits<std::int32_t>::max();
    record.transitions = known->transitions + (!namesake && countable ? 1 : 0);
  }
  return storable_(std::move(record));
}

Record RecordAuthor::Renew(Instant at, const Record& ours) {
  Record record = ours;
  record.renew_time = NextRenewTime(at);
  record.metadata = metadata_;
  return storable_(std::move(record));
}

// In client-go's form: no holder, and a second that nobody who sees the empty holder waits for.
Record RecordAuthor::Release(Instant at, const Record& ours) {
  const WallTime time = NextRenewTime(at);
  return storable_(Record{.holder_identity = "",
                          .lease_duration = std::chrono::seconds(1),
                          .acquire_time = time,
                          .renew_time = time,
                          .transitions = ours.transitions,
                          .metadata = {}});
}

}  // namespace leaderelection

#include "core/leader_view.h"

#include <algorithm>
#include <chrono>

namespace leaderelection {

using std::chrono::milliseconds;

std::optional<LeaderChange> LeaderView::OnRecord(MonotonicTime now, const std::optional<Record>& record) {
  const std::lock_guard lock(mutex_);
  const bool led = record && !record->holder_identity.empty();
  const bool same = led ? record_ && record_->holder_identity == record->holder_identity : !record_;
  const std::optional<LeaderInfo> previous = CurrentLocked(now);
  if (led) {
    // Labels and annotations are no sign of life.
    if (record_ != record) seen_at_ = now;
    record_ = record;
  } else {
    record_.reset();
  }
  if (same) return std::nullopt;
  return LeaderChange{.current = CurrentLocked(now), .previous = previous};
}

std::optional<LeaderInfo> LeaderView::Current(MonotonicTime now) const {
  const std::lock_guard lock(mutex_);
  return CurrentLocked(now);
}

std::optional<LeaderInfo> LeaderView::CurrentLocked(MonotonicTime now) const {
  if (!record_) return std::nullopt;
  const auto left = seen_at_ + record_->lease_duration - now;
  return LeaderInfo{.identity = record_->holder_identity,
                    .acquired_at = record_->acquire_time,
                    .renewed_at = record_->renew_time,
                    .lease_duration = record_->lease_duration,
                    .time_to_expiry = std::max(std::chrono::floor<milliseconds>(left), milliseconds(0)),
                    .transitions = record_->transitions,
                    .metadata = record_->metadata};
}

}  // namespace leaderelection

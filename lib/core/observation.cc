#include "core/observation.h"

#include <algorithm>
#include <utility>

namespace leaderelection {

using std::chrono::milliseconds;

Observation::Observation(milliseconds own_duration, const SentRecords& ours)
    : own_duration_(own_duration), ours_(ours) {}

milliseconds Observation::DurationOf(const Record& record) const {
  const bool sane = record.lease_duration > milliseconds(0) && record.lease_duration <= kLongestSaneDuration;
  return sane ? record.lease_duration : own_duration_;
}

milliseconds Observation::HolderDuration() const {
  return Known() != nullptr && !known_.record.holder_identity.empty() ? DurationOf(known_.record) : own_duration_;
}

Observation::News Observation::OnRead(MonotonicTime now, const Mark& mark, const Stored& stored) {
  const std::uint64_t order = stored.version.order;
  const bool overtaken = news_ != mark.news;
  if (order < order_) return overtaken ? News::kNone : WentBack(now, stored);
  // The same version with another content is a history that was written twice.
  if (order == order_ && (presence_ != Presence::kPresent || stored.record != known_.record)) {
    if (presence_ != Presence::kUnknown) return overtaken ? News::kReadAgain : WentBack(now, stored);
  }
  return Learn(now, stored);
}

Observation::News Observation::OnReadAbsent(MonotonicTime now, const Mark& mark) {
  const bool overtaken = news_ != mark.news && presence_ != Presence::kAbsent;
  return overtaken ? News::kReadAgain : Vanish(now);
}

// Rule 6: events not newer than what we know are dropped, deletions too.
Observation::News Observation::OnEvent(MonotonicTime now, const Stored& stored) {
  return stored.version.order > order_ ? Learn(now, stored) : News::kNone;
}

Observation::News Observation::OnDeleted(MonotonicTime now, std::uint64_t order) {
  if (order <= order_) return News::kNone;
  order_ = order;
  return Vanish(now);
}

// Rule 2: absence clears no wait. It begins another, for the holder may have renewed after we last saw it and before it
// was deleted; where the server expires records, absence is how a term ends there, and what it said was left holds.
Observation::News Observation::Vanish(MonotonicTime now) {
  if (std::exchange(presence_, Presence::kAbsent) == Presence::kAbsent) return News::kNone;
  ++news_;
  const bool held = seen_ && !seen_->holder_identity.empty() && !ours_.Contains(*seen_);
  if (held && !server_expires_) not_before_ = std::max(not_before_, now + DurationOf(*seen_));
  return News::kAbsence;
}

bool Observation::OnAcknowledged(MonotonicTime now, const Stored& stored) {
  if (stored.version.order >= order_) {
    Learn(now, stored);
    return true;
  }
  // An event preceded the acknowledgement. The higher version stays; what matters is whose record it is.
  return presence_ == Presence::kPresent && known_.record == stored.record;
}

bool Observation::Remember(const Stored& stored) {
  ++news_;
  presence_ = Presence::kPresent;
  known_ = stored;
  order_ = stored.version.order;
  server_expires_ = server_expires_ || stored.expires_in.has_value();
  return !seen_ || stored.record != *seen_;
}

Observation::News Observation::Learn(MonotonicTime now, const Stored& stored) {
  const Presence before = presence_;
  const bool changed = Remember(stored);
  // Rule 8: another version of the same record (labels, annotations) is no sign of life. Created anew it is one, even
  // if it looks the same: a namesake may have a wall clock that stands still.
  if (!changed && before != Presence::kAbsent) return before == Presence::kPresent ? News::kNone : News::kRecord;
  WaitOut(now, stored, std::exchange(seen_, stored.record));
  return News::kRecord;
}

// Rule 2: counted from now, after the read; later than before or unchanged, unless a release is seen.
void Observation::WaitOut(MonotonicTime now, const Stored& stored, const std::optional<Record>& before) {
  const Record& record = stored.record;
  if (record.holder_identity.empty()) {
    not_before_ = MonotonicTime::min();
    return;
  }
  if (ours_.Contains(record)) return;
  milliseconds wait = DurationOf(record);
  // fabric8 releases by a last renewal that lasts a second: the holder's own word, as its new renew_time shows.
  const bool released_by_name = before && before->holder_identity == record.holder_identity &&
                                before->renew_time != record.renew_time && wait <= std::chrono::seconds(1) &&
                                wait < DurationOf(*before);
  if (stored.expires_in) wait = std::clamp(*stored.expires_in, milliseconds(0), wait);
  not_before_ = released_by_name ? now + wait : std::max(not_before_, now + wait);
}

// Rule 6: somebody may lead by a write that the store has forgotten, so even an empty holder is waited out.
Observation::News Observation::WentBack(MonotonicTime now, const Stored& stored) {
  const milliseconds before = seen_ ? DurationOf(*seen_) : own_duration_;
  Remember(stored);
  seen_ = stored.record;
  not_before_ = std::max(not_before_, now + std::max({own_duration_, before, DurationOf(stored.record)}));
  return News::kWentBack;
}

}  // namespace leaderelection

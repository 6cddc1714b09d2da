// What an election has to tell: data, for the elector, the tests and the simulator to act on.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/record.h"

namespace leaderelection {

enum class Verb { kGet, kCreate, kUpdate };

enum class EndReason {
  kReleased,      // given up cleanly, and the lock with it
  kLeft,          // given up cleanly, the lock left to expire
  kDrainTimeout,  // the work did not return in time; the lock is left to expire
  kExpired,       // not renewed in time
  kRival,         // another holder was seen
  kRecordGone,    // the record was deleted, or replaced by something unreadable
  kWentBack,      // the store lost acknowledged writes
};

constexpr bool IsLoss(EndReason reason) { return reason >= EndReason::kExpired; }

namespace announce {

struct TermStarted {
  std::uint64_t number = 0;         // the fencing number
  std::uint32_t validity_term = 0;  // the term's count in Validity
  MonotonicTime valid_until;
};
// A clean ending begins: the work is asked to return; the term stays valid and is renewed meanwhile.
struct WorkMustStop {};
// After a clean ending all is done, the release too; after a loss, at once. The term is sealed in either case.
struct TermEnded {
  EndReason reason = EndReason::kReleased;
};
// The work was asked to stop and has not returned by the time at which another candidate may lead.
struct Overrun {};
// The attempt made by Try did not lead to a term.
struct AttemptOver {
  Error error;
};
// Nothing is under way any more and nothing will be until the next Stand or Try.
struct Idle {};
// Another record is known; none if it was deleted.
struct RecordChanged {
  std::optional<Record> record;
};
struct Renewed {
  std::chrono::nanoseconds latency{0};
  MonotonicTime valid_until;
};
// A renewal needed a read first.
struct SlowPath {};
struct RequestFailed {
  Verb verb = Verb::kGet;
  Error error;
};
struct Answered {};  // a request was answered in earnest, if only by a refusal to replace
// Our own name stands in a record that we did not send.
struct NamesakeSeen {};

}  // namespace announce

using Announcement =
    std::variant<announce::TermStarted, announce::WorkMustStop, announce::TermEnded, announce::Overrun,
                 announce::AttemptOver, announce::Idle, announce::RecordChanged, announce::Renewed, announce::SlowPath,
                 announce::RequestFailed, announce::Answered, announce::NamesakeSeen>;

}  // namespace leaderelection

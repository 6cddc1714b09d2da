// What one candidate knows of the record, and until when it has to wait: rules 2, 6 and 8.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/sent_records.h"
#include "leaderelection/clock.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// Longer than anyone means: a holder's duration beyond this is a mistake, and is replaced by our own.
inline constexpr std::chrono::milliseconds kLongestSaneDuration = std::chrono::hours(24);

class Observation {
 public:
  enum class News {
    kNone,       // nothing that was not known: another version of the same record, or something older
    kRecord,     // another record than the one known
    kAbsence,    // the record is gone
    kReadAgain,  // the answer was overtaken by newer news and says nothing
    kWentBack,   // the store lost writes that were acknowledged
  };

  Observation(std::chrono::milliseconds own_duration, const SentRecords& ours);

  // Taken when a request is sent, so that its answer can be told from news that came meanwhile.
  struct Mark {
    std::uint64_t order = 0;  // the highest known then: what an acknowledgement has to rise above
    std::uint64_t news = 0;
  };
  [[nodiscard]] Mark TakeMark() const { return {order_, news_}; }

  News OnRead(MonotonicTime now, const Mark& mark, const Stored& stored);
  News OnReadAbsent(MonotonicTime now, const Mark& mark);
  News OnEvent(MonotonicTime now, const Stored& stored);
  News OnDeleted(MonotonicTime now, std::uint64_t order);
  // Our own write was acknowledged. False if something newer that is not this write came first: it counts for nothing.
  bool OnAcknowledged(MonotonicTime now, const Stored& stored);
  // The store holds something that is no record.
  void OnUnreadable() { presence_ = Presence::kUnknown; }

  // Whether it is known what a write would replace.
  [[nodiscard]] bool IsKnown() const { return presence_ != Presence::kUnknown; }
  // The record and its version, from one and the same answer; null if it is absent or unknown.
  [[nodiscard]] const Stored* Known() const { return presence_ == Presence::kPresent ? &known_ : nullptr; }
  // Rule 2: no acquiring write may be sent, and no term may start, before this.
  [[nodiscard]] MonotonicTime NotBefore() const { return not_before_; }
  // How long the present holder's record lasts, sane; our own duration if there is none.
  [[nodiscard]] std::chrono::milliseconds HolderDuration() const;

 private:
  friend class ElectionMemory;  // test/model puts what is remembered aside and back

  enum class Presence { kUnknown, kAbsent, kPresent };

  News Learn(MonotonicTime now, const Stored& stored);
  News Vanish(MonotonicTime now);
  News WentBack(MonotonicTime now, const Stored& stored);
  bool Remember(const Stored& stored);
  void WaitOut(MonotonicTime now, const Stored& stored, const std::optional<Record>& before);
  [[nodiscard]] std::chrono::milliseconds DurationOf(const Record& record) const;

  const std::chrono::milliseconds own_duration_;
  const SentRecords& ours_;
  Presence presence_ = Presence::kUnknown;
  Stored known_;                 // meaningful if present
  std::uint64_t order_ = 0;      // the highest version known, also across deletion
  std::uint64_t news_ = 0;       // counts what was learned
  std::optional<Record> seen_;   // the last record seen, also after its deletion
  bool server_expires_ = false;  // it said once what is left; its events may not
  MonotonicTime not_before_ = MonotonicTime::min();
};

}  // namespace leaderelection

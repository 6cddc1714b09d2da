// Puts what an Election remembers aside as plain numbers, and back: so one Election serves a million states.
//
// Left out, because nothing here depends on it: the state of the jitter (it moves a moment within a tick), the count
// of terms in Validity, and records of our own that are neither stored nor known nor under way (SentRecords' limit of
// sixteen is thereby out of the model).

#pragma once

#include <chrono>
#include <memory>

#include "core/election.h"
#include "core/manual_clock.h"
#include "core/validity.h"
#include "model/state.h"

namespace leaderelection {

// A friend of Election and of its parts.
class ElectionMemory {
 public:
  ElectionMemory(ElectionSettings settings, int identity, std::shared_ptr<ManualClock> clock,
                 std::chrono::milliseconds tick);

  void Restore(const model::State& state, const model::ElectionImage& image);
  // Records are added to the state where it does not have them yet.
  void Save(model::State& state, model::ElectionImage& image) const;

  // The wall clock stands still, which is when the records' times are hardest to keep apart.
  [[nodiscard]] Instant At() const { return {clock_->now, wall_}; }
  [[nodiscard]] Election& election() { return election_; }

  [[nodiscard]] Record ToRecord(const model::RecordValue& value) const;
  [[nodiscard]] model::Number Intern(model::State& state, const Record& record) const;
  [[nodiscard]] model::Number ToTicks(MonotonicTime time) const;

 private:
  [[nodiscard]] MonotonicTime FromTicks(model::Number ticks) const;
  void RestoreSent(const model::State& state, const model::ElectionImage& image);
  void RestoreParts(const model::State& state, const model::ElectionImage& image);
  void SaveSent(model::State& state, model::ElectionImage& image) const;
  void SaveParts(model::State& state, model::ElectionImage& image) const;

  const int identity_;
  const std::shared_ptr<ManualClock> clock_;
  const std::chrono::milliseconds tick_;
  const WallTime wall_;
  const std::shared_ptr<Validity> validity_;
  Election election_;
};

}  // namespace leaderelection

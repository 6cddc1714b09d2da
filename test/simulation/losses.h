// The losses after which the headers promise no more than the number: when two terms may overlap after all.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace leaderelection::simulation {

// What a process has been told of the store, as the newest entry; -1 for nothing.
struct Knowledge {
  std::ptrdiff_t newest = -1;
  std::ptrdiff_t newest_before_loss = -1;

  void Learn(std::ptrdiff_t entry, std::optional<std::size_t> loss) {
    if (entry <= newest) return;
    newest = entry;
    if (!loss || entry < static_cast<std::ptrdiff_t>(*loss)) newest_before_loss = entry;
  }
};

class Losses {
 public:
  // The record was deleted or made to look short-lived, by entry `loss`. Who had been told of `needed` or later must
  // wait the holder out; who had not cannot know of him.
  void OnRecordLost(std::size_t loss, std::size_t needed) {
    if (!pending_) pending_ = Pending{loss, needed};
  }
  // The entry of the loss that has not been built upon yet.
  [[nodiscard]] std::optional<std::size_t> pending() const {
    return pending_ ? std::optional(pending_->loss) : std::nullopt;
  }
  // Somebody who knew this much took the lock.
  void OnAcquired(const Knowledge& knowledge) {
    if (!pending_) return;
    const auto loss = static_cast<std::ptrdiff_t>(pending_->loss);
    const std::ptrdiff_t told = knowledge.newest < loss ? knowledge.newest : knowledge.newest_before_loss;
    if (told < static_cast<std::ptrdiff_t>(pending_->needed)) orphaned_before_ = pending_->loss;
    pending_.reset();
  }
  // The store went back, or somebody forged a release: nothing that began by then or soon after can be relied upon.
  void OnHistoryLost(std::size_t entry) { confused_before_ = std::max(confused_before_, entry); }

  // Whether two terms, begun by these entries, may be valid at the same time.
  [[nodiscard]] bool Excuse(std::size_t one, std::size_t other) const {
    const auto [earlier, later] = std::minmax(one, other);
    return earlier < confused_before_ || (earlier < orphaned_before_ && later > orphaned_before_);
  }
  // Whether the term begun by this entry may be older than terms that began before.
  [[nodiscard]] bool ExcusesOrder(std::size_t term) const {
    return term < std::max(confused_before_, orphaned_before_);
  }
  // Whether its number may be lower than theirs.
  [[nodiscard]] bool ExcusesNumber(std::size_t term) const { return term < confused_before_; }

 private:
  struct Pending {
    std::size_t loss;
    std::size_t needed;
  };
  std::optional<Pending> pending_;
  std::size_t orphaned_before_ = 0;
  std::size_t confused_before_ = 0;
};

}  // namespace leaderelection::simulation

// Whether a term is valid, for anybody to ask: rules 1 and 5.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "leaderelection/clock.h"

namespace leaderelection {

// The end of an elector's current term, in one atomic word: 24 bits count the terms, 40 bits hold the deadline in
// milliseconds (rounded down) since this object was made, 0 for a sealed term. One word, so that asking the elector and
// asking a term can never disagree. Written by the election, read by anyone.
class Validity {
 public:
  explicit Validity(std::shared_ptr<const Clock> clock) : clock_(std::move(clock)), epoch_(clock_->Now()) {}

  // Rule 5: one atomic load, one clock read.
  [[nodiscard]] bool IsValid() const noexcept { return IsCurrent(word_.load(std::memory_order_acquire)); }

  [[nodiscard]] bool IsValid(std::uint32_t term) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return TermOf(word) == term && IsCurrent(word);
  }

  // Starts the next term and returns its count; the one before must be sealed.
  std::uint32_t Begin(MonotonicTime deadline) noexcept {
    const std::uint64_t term = (TermOf(word_.load(std::memory_order_relaxed)) + 1) & kTermMask;
    word_.store(term << kDeadlineBits | ToMilliseconds(deadline), std::memory_order_release);
    return static_cast<std::uint32_t>(term);
  }

  // Rule 1: a term that anyone has found over stays over, so this fails on a sealed one.
  [[nodiscard]] bool Extend(MonotonicTime deadline) noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while ((word & kDeadlineMask) != 0) {
      const std::uint64_t extended = (word & ~kDeadlineMask) | ToMilliseconds(deadline);
      if (word_.compare_exchange_weak(word, extended, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  void Seal() noexcept { word_.fetch_and(~kDeadlineMask, std::memory_order_acq_rel); }

  [[nodiscard]] MonotonicTime Deadline(std::uint32_t term) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return TermOf(word) == term ? DeadlineOf(word) : epoch_;
  }

 private:
  friend class ElectionMemory;  // test/model puts what is remembered aside and back

  static constexpr int kDeadlineBits = 40;  // 34 years of milliseconds
  static constexpr std::uint64_t kDeadlineMask = (std::uint64_t{1} << kDeadlineBits) - 1;
  static constexpr std::uint64_t kTermMask = (std::uint64_t{1} << (64 - kDeadlineBits)) - 1;

  static std::uint32_t TermOf(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> kDeadlineBits); }

  MonotonicTime DeadlineOf(std::uint64_t word) const noexcept {
    return epoch_ + std::chrono::milliseconds(word & kDeadlineMask);
  }

  std::uint64_t ToMilliseconds(MonotonicTime deadline) const noexcept {
    const auto since = std::chrono::floor<std::chrono::milliseconds>(deadline - epoch_).count();
    return since <= 0 ? 0 : static_cast<std::uint64_t>(since) & kDeadlineMask;
  }

  bool IsCurrent(std::uint64_t word) const noexcept {
    if ((word & kDeadlineMask) == 0) return false;
    if (clock_->Now() < DeadlineOf(word)) return true;
    // Rule 1: found over, so sealed. Where the exchange fails the word has changed since it was loaded, and what it
    // says now is the answer: nobody has been told that the term was over.
    if (word_.compare_exchange_strong(word, word & ~kDeadlineMask, std::memory_order_acq_rel)) return false;
    return IsCurrent(word);
  }

  const std::shared_ptr<const Clock> clock_;
  const MonotonicTime epoch_;
  mutable std::atomic<std::uint64_t> word_{0};
};

}  // namespace leaderelection

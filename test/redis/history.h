// Judges an election from the side: no two terms valid at one time, and numbers that rise.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leaderelection/leader_elector.h"

namespace leaderelection::testing {

// Looks at all electors that have joined, every other millisecond, from a thread of its own.
class History {
 public:
  void Join(const LeaderElector& elector) {
    std::lock_guard lock(mutex_);
    electors_.push_back(&elector);
  }
  void Leave(const LeaderElector& elector) {
    std::lock_guard lock(mutex_);
    std::erase(electors_, &elector);
  }

  [[nodiscard]] ::testing::AssertionResult IsSound() const {
    std::lock_guard lock(mutex_);
    if (!mistake_.empty()) return ::testing::AssertionFailure() << mistake_;
    if (terms_.empty()) return ::testing::AssertionFailure() << "nobody ever led";
    return ::testing::AssertionSuccess();
  }

  // The term that was seen to begin last, over or not.
  [[nodiscard]] std::optional<Term> Newest() const {
    std::lock_guard lock(mutex_);
    return terms_.empty() ? std::nullopt : std::optional(terms_.back());
  }

 private:
  void LookOnce() {
    std::vector<Term> valid;
    for (const LeaderElector* elector : electors_) {
      const auto term = elector->CurrentTerm();
      if (!term || !term->IsValid()) continue;
      // What was valid before this one and still is after it was valid together with it.
      for (const Term& other : valid) {
        if (other.IsValid()) Blame(other, *term, "were valid at one time");
      }
      valid.push_back(*term);
      Note(*term);
    }
  }

  void Note(const Term& term) {
    if (!terms_.empty()) {
      const Term& last = terms_.back();
      if (last.fencing_token() == term.fencing_token() && last.identity() == term.identity()) return;
      if (last.fencing_token() >= term.fencing_token()) return Blame(last, term, "have numbers that do not rise");
    }
    terms_.push_back(term);
  }

  void Blame(const Term& one, const Term& other, const std::string& what) {
    if (!mistake_.empty()) return;
    mistake_ = "term " + std::to_string(one.fencing_token()) + " of " + one.identity() + " and term " +
               std::to_string(other.fencing_token()) + " of " + other.identity() + " " + what;
  }

  mutable std::mutex mutex_;
  std::condition_variable_any never_;
  std::vector<const LeaderElector*> electors_;
  std::vector<Term> terms_;  // in the order of their beginnings
  std::string mistake_;      // the first
  std::jthread observer_{[this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!never_.wait_for(lock, stop, std::chrono::milliseconds(2), [&] { return stop.stop_requested(); }))
      LookOnce();
  }};
};

}  // namespace leaderelection::testing

// What a Term and its elector share.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "core/validity.h"
#include "leaderelection/clock.h"

namespace leaderelection {

class TermState {
 public:
  TermState(std::shared_ptr<const Validity> validity, std::shared_ptr<const Clock> clock, std::uint32_t count,
            std::uint64_t number, std::string identity)
      : validity_(std::move(validity)),
        clock_(std::move(clock)),
        count_(count),
        number_(number),
        identity_(std::move(identity)) {}

  [[nodiscard]] bool IsValid() const noexcept { return validity_->IsValid(count_); }
  [[nodiscard]] MonotonicTime Deadline() const noexcept { return validity_->Deadline(count_); }
  [[nodiscard]] MonotonicTime Now() const noexcept { return clock_->Now(); }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] const std::string& identity() const noexcept { return identity_; }
  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_.get_token(); }

  // Whether the program is to be told that the term has begun, or that it has ended. It is told of both or of neither:
  // a term that is over before its work could begin has never been.
  [[nodiscard]] bool TellBegin() noexcept {
    Told expected = Told::kNothing;
    return told_.compare_exchange_strong(expected, Told::kBegin);
  }
  [[nodiscard]] bool TellEnd() noexcept { return told_.exchange(Told::kEnd) == Told::kBegin; }

  // Runs the stop callbacks of whoever registered one: user code, so never on the executor's thread.
  void RequestStop() { stop_.request_stop(); }

 private:
  const std::shared_ptr<const Validity> validity_;
  const std::shared_ptr<const Clock> clock_;
  const std::uint32_t count_;
  const std::uint64_t number_;
  const std::string identity_;
  std::stop_source stop_;
  enum class Told { kNothing, kBegin, kEnd };
  std::atomic<Told> told_ = Told::kNothing;
};

}  // namespace leaderelection

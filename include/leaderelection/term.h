// One time of leading, from the acknowledged write that began it to its end.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "leaderelection/export.h"

namespace leaderelection {

class TermState;

// Cheap to copy, thread-safe, and may outlive its elector: it is then over.
class LEADERELECTION_EXPORT Term {
 public:
  // False from the deadline on, by the clock alone, whatever the elector's threads do; once false, false for ever. Ask
  // before each step that must not be taken twice. One atomic load and one clock read, no lock.
  [[nodiscard]] bool IsValid() const noexcept;

  // What is left until the deadline unless the term is renewed; zero once it is over.
  [[nodiscard]] std::chrono::nanoseconds TimeLeft() const noexcept;

  // Requested when the work is to return: at once on a loss; on a clean stop while the term is still valid and renewed.
  [[nodiscard]] std::stop_token stop_token() const noexcept;

  // Larger than that of every term before, of whatever candidate. Pass it along with what you write to another system,
  // and let that refuse a smaller one than it has seen: then a late write of an old leader does no harm.
  [[nodiscard]] std::uint64_t fencing_token() const noexcept;

  [[nodiscard]] const std::string& identity() const noexcept;

 private:
  friend class Candidacy;
  explicit Term(std::shared_ptr<const TermState> state) : state_(std::move(state)) {}

  std::shared_ptr<const TermState> state_;
};

}  // namespace leaderelection

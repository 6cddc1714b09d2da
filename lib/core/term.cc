#include "leaderelection/term.h"

#include <algorithm>

#include "core/term_state.h"

namespace leaderelection {

bool Term::IsValid() const noexcept { return state_->IsValid(); }

std::chrono::nanoseconds Term::TimeLeft() const noexcept {
  if (!state_->IsValid()) return std::chrono::nanoseconds(0);
  return std::max<std::chrono::nanoseconds>(state_->Deadline() - state_->Now(), std::chrono::nanoseconds(0));
}

std::stop_token Term::stop_token() const noexcept { return state_->stop_token(); }
std::uint64_t Term::fencing_token() const noexcept { return state_->number(); }
const std::string& Term::identity() const noexcept { return state_->identity(); }

}  // namespace leaderelection

#include "kubernetes/request_queue.h"

#include <algorithm>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

// How many may be under way for one of this urgency to begin. A thousand elections renew 500 times a second: that takes
// three connections to a server that answers within 5 ms, and all of these if it takes 60.
constexpr std::array<std::size_t, 3> kRoom = {4, 24, 32};
// Who has this much time left is not turned away, however slow the server has been.
constexpr std::chrono::nanoseconds kTimeEnough = 1s;

}  // namespace

void RequestQueue::Enter(Urgency urgency, MonotonicTime deadline, Begin begin) {
  {
    const auto index = static_cast<std::size_t>(urgency);
    const std::lock_guard lock(mutex_);
    // One for whom there is room finds out for itself whether it is too late.
    if (!waiting_[index].empty() || under_way_ >= kRoom[index]) {
      waiting_[index].emplace(deadline, std::move(begin));
      return;
    }
    ++under_way_;
  }
  begin(MakePlace());
}

// Lets go all whose turn it is, and turns those away for whom it comes too late.
void RequestQueue::Advance() {
  const MonotonicTime now = now_();
  while (true) {
    Begin begin;
    bool is_too_late = false;
    {
      const std::lock_guard lock(mutex_);
      const MonotonicTime soonest_answer = now + std::min(2 * usual_time_, kTimeEnough);
      for (std::size_t urgency = waiting_.size(); urgency-- > 0 && !begin;) {
        auto& waiting = waiting_[urgency];
        if (waiting.empty() || under_way_ >= kRoom[urgency]) continue;
        is_too_late = waiting.begin()->first < soonest_answer;
        under_way_ += is_too_late ? 0 : 1;
        begin = std::move(waiting.extract(waiting.begin()).mapped());
      }
    }
    if (!begin) return;
    begin(is_too_late ? nullptr : MakePlace());
  }
}

void RequestQueue::Leave(MonotonicTime begun) {
  {
    const std::lock_guard lock(mutex_);
    --under_way_;
    usual_time_ += (now_() - begun - usual_time_) / 8;
  }
  Advance();
}

RequestQueue::Place RequestQueue::MakePlace() {
  // What it points to does not matter, but that it does: null is no place.
  return {this, [weak = weak_from_this(), begun = now_()](void*) {
            if (const auto self = weak.lock()) self->Leave(begun);
          }};
}

}  // namespace leaderelection

// Where a test waits for what a callback brings.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace leaderelection::testing {

template <class T>
class AnswerBox {
 public:
  void Put(T value) {
    const std::lock_guard lock(mutex_);
    value_.emplace(std::move(value));
    ++count_;
    changed_.notify_all();
  }

  // The value, which must come within a minute: generous, for nothing here is measured.
  T Take() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::minutes(1), [this] { return value_.has_value(); }))
      throw std::runtime_error("nothing came within a minute");
    return *std::exchange(value_, std::nullopt);
  }

  [[nodiscard]] int count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> value_;
  int count_ = 0;
};

}  // namespace leaderelection::testing

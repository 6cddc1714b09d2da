// Asks a lock and waits for the answer, which an elector never does and a test often wants. Needs GoogleTest.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection::testing {

// Waits for the answer to one request.
class PendingAnswer {
 public:
  Done<Stored> MakeDone() {
    return Done<Stored>([state = state_](Result<Stored> answer) {
      std::lock_guard lock(state->mutex);
      ++state->times;
      state->answer = std::move(answer);
      state->answered.notify_all();
    });
  }

  Result<Stored> Wait(std::chrono::seconds patience) const {
    std::unique_lock lock(state_->mutex);
    if (!state_->answered.wait_for(lock, patience, [this] { return state_->answer.has_value(); })) {
      ADD_FAILURE() << "no answer within " << patience.count() << " s";
      return {ErrorCode::kTimeout, "the contract suite lost its patience"};
    }
    return *state_->answer;
  }

  int times() const {
    std::lock_guard lock(state_->mutex);
    return state_->times;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable answered;
    std::optional<Result<Stored>> answer;
    int times = 0;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();  // shared: a Done may come after the test has failed
};

// One participant: a lock, asked and waited for.
class LockClient {
 public:
  LockClient(std::shared_ptr<ResourceLock> lock, std::chrono::seconds patience)
      : lock_(std::move(lock)), patience_(patience) {}

  ResourceLock& lock() const { return *lock_; }
  std::chrono::seconds patience() const { return patience_; }
  MonotonicTime Deadline() const { return BootClock::now() + patience_; }
  void Disconnect() { lock_.reset(); }

  Result<Stored> Get() const { return Get(Deadline()); }
  Result<Stored> Get(MonotonicTime deadline) const {
    PendingAnswer pending;
    lock_->Get(deadline, pending.MakeDone());
    return pending.Wait(patience_);
  }

  Result<Stored> Create(const Record& record) const { return Create(Deadline(), record); }
  Result<Stored> Create(MonotonicTime deadline, const Record& record) const {
    PendingAnswer pending;
    lock_->Create(deadline, lock_->Storable(record), pending.MakeDone());
    return pending.Wait(patience_);
  }

  Result<Stored> Update(const Record& record, const Version& expected) const {
    return Update(Deadline(), record, expected);
  }
  Result<Stored> Update(MonotonicTime deadline, const Record& record, const Version& expected) const {
    PendingAnswer pending;
    lock_->Update(deadline, lock_->Storable(record), expected, pending.MakeDone());
    return pending.Wait(patience_);
  }

 private:
  std::shared_ptr<ResourceLock> lock_;
  std::chrono::seconds patience_;
};

}  // namespace leaderelection::testing

// Candidates on a real agent: electors at 3, 2 and 0.5 seconds unless told otherwise, and what becomes of them.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "leaderelection/consul_lock.h"
#include "leaderelection/leader_elector.h"

namespace leaderelection::testing {

struct Durations {
  std::chrono::milliseconds lease{3000};
  std::chrono::milliseconds renew{2000};
  std::chrono::milliseconds retry{500};
};

class Candidate {
 public:
  Candidate(const ConsulOptions& options, const std::string& key, const std::string& identity, Durations durations = {},
            ConsulSession session = {})
      : elector_(Config(std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(options),
                                                     ConsulLockOptions{.key = key, .session = std::move(session)}),
                        identity, durations)) {
    elector_.Start();
  }

  LeaderElector& elector() { return elector_; }

  // Whether it has begun, or ended, so many terms.
  bool WaitForTerms(int count) {
    return WaitFor([&] { return started_ >= count; });
  }
  bool WaitForEnds(int count) {
    return WaitFor([&] { return stopped_ >= count; });
  }
  bool WaitForLeader(const std::string& identity) {
    return WaitFor([&] { return seen_ == identity; });
  }
  std::uint64_t number() const {
    std::lock_guard lock(mutex_);
    return number_;
  }
  MonotonicTime stopped_at() const {
    std::lock_guard lock(mutex_);
    return stopped_at_;
  }
  MonotonicTime started_at() const {
    std::lock_guard lock(mutex_);
    return started_at_;
  }

 private:
  LeaderElectionConfig Config(std::shared_ptr<ResourceLock> lock, const std::string& identity, Durations durations) {
    LeaderElectionConfig config;
    config.lock = std::move(lock);
    config.identity = identity;
    config.lease_duration = durations.lease;
    config.renew_deadline = durations.renew;
    config.retry_period = durations.retry;
    config.release_on_cancel = true;
    config.callbacks.on_started_leading = [this](const Term& term) {
      Note([&] {
        ++started_;
        started_at_ = BootClock::now();
        number_ = term.fencing_token();
      });
    };
    config.callbacks.on_stopped_leading = [this] {
      Note([&] {
        ++stopped_;
        stopped_at_ = BootClock::now();
      });
    };
    config.callbacks.on_new_leader = [this](const std::string& leader) { Note([&] { seen_ = leader; }); };
    return config;
  }

  void Note(const std::function<void()>& what) {
    std::lock_guard lock(mutex_);
    what();
    changed_.notify_all();
  }
  bool WaitFor(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(40), condition);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int started_ = 0;
  int stopped_ = 0;
  std::uint64_t number_ = 0;
  MonotonicTime started_at_{};
  MonotonicTime stopped_at_{};
  std::string seen_;
  LeaderElector elector_;
};

}  // namespace leaderelection::testing

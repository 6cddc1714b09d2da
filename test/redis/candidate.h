// An elector that stands on real servers, with a history that watches it.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "leaderelection/leader_elector.h"
#include "redis/history.h"

namespace leaderelection::testing {

struct Durations {
  std::chrono::milliseconds lease{3000};
  std::chrono::milliseconds renew{2000};
  std::chrono::milliseconds retry{500};
};

// Where a term must not be lost however loaded the machine is.
inline constexpr Durations kPatientDurations{std::chrono::seconds(30), std::chrono::seconds(20),
                                             std::chrono::milliseconds(500)};
// Where a hand-off cannot come from polling.
inline constexpr Durations kSlowDurations{std::chrono::minutes(10), std::chrono::minutes(8), std::chrono::minutes(5)};

class Candidate {
 public:
  Candidate(History& history, std::shared_ptr<ResourceLock> lock, const std::string& identity, Durations durations = {})
      : history_(history), durations_(durations), elector_(Config(std::move(lock), identity)) {
    history_.Join(elector_);
    elector_.Start();
  }
  // Vanishes: nothing is released. A clean end is Stop.
  ~Candidate() { history_.Leave(elector_); }

  LeaderElector& elector() { return elector_; }
  // When the request that the term rests on was sent.
  [[nodiscard]] MonotonicTime LastRenewal(const Term& term) const {
    return BootClock::now() + term.TimeLeft() - durations_.renew;
  }

 private:
  LeaderElectionConfig Config(std::shared_ptr<ResourceLock> lock, const std::string& identity) const {
    LeaderElectionConfig config;
    config.lock = std::move(lock);
    config.identity = identity;
    config.lease_duration = durations_.lease;
    config.renew_deadline = durations_.renew;
    config.retry_period = durations_.retry;
    config.release_on_cancel = true;
    return config;
  }

  History& history_;
  const Durations durations_;
  LeaderElector elector_;
};

}  // namespace leaderelection::testing

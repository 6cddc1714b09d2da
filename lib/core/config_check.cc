#include "core/config_check.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/observation.h"

namespace leaderelection {

using std::chrono::milliseconds;

namespace {

// A candidate's wait between attempts varies; client-go asks for this much room, and a configuration should serve both.
constexpr double kJitterFactor = 1.2;

class Mistakes {
 public:
  void Unless(bool right, const std::string& what) {
    if (!right) text_ += (text_.empty() ? "" : "; ") + what;
  }
  void Throw() const {
    if (!text_.empty()) throw std::invalid_argument("LeaderElectionConfig: " + text_);
  }

 private:
  std::string text_;
};

std::string Text(milliseconds duration) { return std::to_string(duration.count()) + " ms"; }

}  // namespace

LeaderElectionConfig Checked(LeaderElectionConfig config) {
  constexpr milliseconds kZero(0);
  if (config.renew_interval == kZero) config.renew_interval = config.retry_period;

  Mistakes mistakes;
  mistakes.Unless(config.lock != nullptr, "lock is null");
  mistakes.Unless(!config.identity.empty(), "identity is empty");
  mistakes.Unless(config.lease_duration > kZero, "lease_duration is not positive");
  mistakes.Unless(config.lease_duration <= kLongestSaneDuration,
                  "lease_duration (" + Text(config.lease_duration) + ") is longer than a day");
  mistakes.Unless(config.renew_deadline > kZero, "renew_deadline is not positive");
  mistakes.Unless(config.retry_period > kZero, "retry_period is not positive");
  mistakes.Unless(config.lease_duration > config.renew_deadline, "lease_duration (" + Text(config.lease_duration) +
                                                                     ") is not greater than renew_deadline (" +
                                                                     Text(config.renew_deadline) + ")");
  mistakes.Unless(
      std::chrono::duration<double, std::milli>(config.renew_deadline) > config.retry_period * kJitterFactor,
      "renew_deadline (" + Text(config.renew_deadline) + ") is not greater than 1.2 x retry_period (" +
          Text(config.retry_period) + ")");
  mistakes.Unless(config.renew_interval > kZero, "renew_interval is negative");
  mistakes.Unless(config.renew_interval < config.renew_deadline, "renew_interval (" + Text(config.renew_interval) +
                                                                     ") is not less than renew_deadline (" +
                                                                     Text(config.renew_deadline) + ")");
  mistakes.Unless(config.drain_timeout >= kZero, "drain_timeout is negative");
  mistakes.Throw();

  if (config.name.empty()) config.name = config.lock->Describe();
  return config;
}

}  // namespace leaderelection

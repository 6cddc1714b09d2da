// A candidate as a process of its own, to be killed: consul_candidate ADDRESS TOKEN_FILE KEY IDENTITY
// LOCK_DELAY_SECONDS

#include <cstdlib>
#include <iostream>

#include "leaderelection/consul_lock.h"
#include "leaderelection/leader_elector.h"

int main(int count, char** words) {
  using namespace leaderelection;
  if (count != 6) {
    std::cerr << "usage: consul_candidate ADDRESS TOKEN_FILE KEY IDENTITY LOCK_DELAY_SECONDS\n";
    return 2;
  }
  const auto client = std::make_shared<ConsulClient>(ConsulOptions{.address = words[1], .token_file = words[2]});
  LeaderElectionConfig config;
  config.lock = std::make_shared<ConsulLock>(
      client, ConsulLockOptions{.key = words[3], .session = {.lock_delay = std::chrono::seconds(std::atoi(words[5]))}});
  config.identity = words[4];
  config.lease_duration = std::chrono::seconds(3);
  config.renew_deadline = std::chrono::seconds(2);
  config.retry_period = std::chrono::milliseconds(500);
  config.release_on_cancel = true;
  LeaderElector(std::move(config)).Run(StopOnSignals({SIGINT, SIGTERM}));
}

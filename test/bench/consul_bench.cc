// Our lock on Consul, measured as peers/consul measures Consul's own: hand-offs between two that wait for one key, and
// the time until a holder that is silent is replaced. Prints one number of milliseconds per line.

#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/contender.h"
#include "leaderelection/consul_lock.h"
#include "leaderelection/leader_elector.h"

namespace leaderelection::bench {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<ConsulClient> Connect() { return std::make_shared<ConsulClient>(ConsulOptions::FromEnvironment()); }

LeaderElectionConfig OnKey(const std::string& key) {
  LeaderElectionConfig config;
  config.lock = std::make_shared<ConsulLock>(Connect(), ConsulLockOptions{.key = key});
  return config;
}

// The holder's last record is written by hand and never renewed, as if its process had been killed.
void TakeOver(const std::string& key) {
  ConsulLock dead(Connect(), {.key = key});
  std::promise<bool> written;
  const Record record{.holder_identity = "dead", .lease_duration = 15s, .renew_time = WallTime(1h)};
  dead.Create(BootClock::now() + 10s, record,
              Done<Stored>([&](const Result<Stored>& result) { written.set_value(result.ok()); }));
  if (!written.get_future().get()) throw std::runtime_error("the key is not free");
  const MonotonicTime died = BootClock::now();
  Contender heir(OnKey(key), "heir");
  Print(heir.Start().get() - died);
  heir.elector().Stop();
}

}  // namespace
}  // namespace leaderelection::bench

int main(int count, char** words) {
  using namespace leaderelection::bench;
  const std::string what = count == 4 ? words[1] : "";
  if (what == "hand-off") {
    HandOffs([&] { return OnKey(words[2]); }, std::atoi(words[3]));
  } else if (what == "take-over") {
    for (int i = 0; i < std::atoi(words[3]); ++i) TakeOver(words[2] + ("-" + std::to_string(i)));
  } else {
    std::cerr << "usage: consul_bench hand-off|take-over KEY COUNT, with Consul's environment variables\n";
    return 2;
  }
}

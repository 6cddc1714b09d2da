// Our lock, measured as the Go program beside it measures Consul's own: hand-offs between two that wait for one key,
// and the time until a holder that is silent is replaced. Prints one number of milliseconds per line.

#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "leaderelection/consul_lock.h"
#include "leaderelection/leader_elector.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

class Contender {
 public:
  Contender(const std::string& key, const std::string& identity) : elector_(Config(key, identity)) {}

  // Stands; the answer is the moment its term begins.
  std::future<MonotonicTime> Start() {
    started_ = {};
    elector_.Start();
    return started_.get_future();
  }
  LeaderElector& elector() { return elector_; }

 private:
  LeaderElectionConfig Config(const std::string& key, const std::string& identity) {
    const auto client = std::make_shared<ConsulClient>(ConsulOptions::FromEnvironment());
    LeaderElectionConfig config;
    config.lock = std::make_shared<ConsulLock>(client, ConsulLockOptions{.key = key});
    config.identity = identity;
    config.release_on_cancel = true;
    config.callbacks.on_started_leading = [this](const Term&) { started_.set_value(BootClock::now()); };
    return config;
  }

  std::promise<MonotonicTime> started_;
  LeaderElector elector_;
};

void Print(BootClock::duration time) {
  std::cout << std::chrono::duration<double, std::milli>(time).count() << std::endl;
}

void HandOffs(const std::string& key, int count) {
  Contender a(key, "a");
  Contender b(key, "b");
  Contender* holder = &a;
  Contender* waiting = &b;
  holder->Start().wait();
  for (int i = 0; i < count; ++i) {
    auto started = waiting->Start();
    (void)started.wait_for(300ms);  // until it waits
    const MonotonicTime released = BootClock::now();
    holder->elector().Stop();
    Print(started.get() - released);
    std::swap(holder, waiting);
  }
  holder->elector().Stop();
}

// The holder's last record is written by hand and never renewed, as if its process had been killed.
void TakeOver(const std::string& key) {
  const auto client = std::make_shared<ConsulClient>(ConsulOptions::FromEnvironment());
  ConsulLock dead(client, {.key = key});
  std::promise<bool> written;
  const Record record{.holder_identity = "dead", .lease_duration = 15s, .renew_time = WallTime(1h)};
  dead.Create(BootClock::now() + 10s, record,
              Done<Stored>([&](const Result<Stored>& result) { written.set_value(result.ok()); }));
  if (!written.get_future().get()) throw std::runtime_error("the key is not free");
  const MonotonicTime died = BootClock::now();
  Contender heir(key, "heir");
  Print(heir.Start().get() - died);
  heir.elector().Stop();
}

}  // namespace
}  // namespace leaderelection

int main(int count, char** words) {
  const std::string what = count == 4 ? words[1] : "";
  if (what == "hand-off") {
    leaderelection::HandOffs(words[2], std::atoi(words[3]));
  } else if (what == "take-over") {
    for (int i = 0; i < std::atoi(words[3]); ++i) leaderelection::TakeOver(words[2] + ("-" + std::to_string(i)));
  } else {
    std::cerr << "usage: consul_bench hand-off|take-over KEY COUNT, with Consul's environment variables\n";
    return 2;
  }
}

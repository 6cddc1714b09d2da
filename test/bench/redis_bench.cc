// Our lock on Redis, measured as peers/redis measures others. Prints one number of milliseconds per line; for renewals,
// how many a second.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/contender.h"
#include "leaderelection/leader_elector.h"
#include "leaderelection/redis_lock.h"

namespace leaderelection::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kLease = 3s;
constexpr auto kPatience = 30s;

std::shared_ptr<RedisClient> Connect() { return std::make_shared<RedisClient>(RedisOptions::FromEnvironment()); }

Record HeldBy(const std::string& identity, std::chrono::milliseconds lease = kLease) {
  return {.holder_identity = identity, .lease_duration = lease, .renew_time = WallTime(1h)};
}

LeaderElectionConfig OnKey(const std::string& key) {
  LeaderElectionConfig config;
  config.lock = std::make_shared<RedisLock>(Connect(), key);
  config.lease_duration = kLease;
  config.renew_deadline = 2s;
  config.retry_period = 500ms;
  return config;
}

// One request at a time, as a program without an elector would send it.
class Requests {
 public:
  explicit Requests(const std::string& key) : lock_(Connect(), key) {}

  Stored Create(const Record& record) {
    return Wait([&](Done<Stored> done) { lock_.Create(BootClock::now() + kPatience, record, std::move(done)); });
  }
  Stored Update(const Record& record, const Version& expected) {
    return Wait(
        [&](Done<Stored> done) { lock_.Update(BootClock::now() + kPatience, record, expected, std::move(done)); });
  }

 private:
  template <class Send>
  static Stored Wait(const Send& send) {
    std::promise<Result<Stored>> answer;
    send(Done<Stored>([&](Result<Stored> result) { answer.set_value(std::move(result)); }));
    const Result<Stored> result = answer.get_future().get();
    if (!result) throw std::runtime_error(result.error().message);
    return *result;
  }

  RedisLock lock_;
};

// By two bare writes, which is what the peers do.
void AcquireAndRelease(const std::string& key, int count) {
  Requests requests(key);
  Stored last = requests.Create(HeldBy(""));
  for (int i = 0; i < count; ++i) {
    const MonotonicTime begin = BootClock::now();
    last = requests.Update(HeldBy("a"), last.version);
    last = requests.Update(HeldBy(""), last.version);
    Print(BootClock::now() - begin);
  }
}

// By an elector, which reads before it writes and has a term, a watch and a clock to care for.
void LeadAndRelease(const std::string& key, int count) {
  Contender contender(OnKey(key), "a");
  for (int i = 0; i < count; ++i) {
    const MonotonicTime begin = BootClock::now();
    if (const auto term = contender.elector().TryAcquire(); !term) throw std::runtime_error(term.error().message);
    contender.elector().Release();
    Print(BootClock::now() - begin);
  }
}

// The holder's record is written once and never renewed, as if its process had been killed.
void TakeOvers(const std::string& key, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string name = key + "-" + std::to_string(i);
    Contender heir(OnKey(name), "heir");
    const MonotonicTime died = BootClock::now();
    (void)Requests(name).Create(HeldBy("dead"));
    Print(heir.Start().get() - died);
    heir.elector().Stop();
  }
}

// An election that is renewed as soon as the last renewal is acknowledged.
class Renewed {
 public:
  Renewed(const std::shared_ptr<RedisClient>& client, const std::string& key, std::atomic<std::int64_t>& count)
      : lock_(client, key), count_(count) {}

  void Begin() {
    lock_.Create(BootClock::now() + kPatience, HeldBy("a", 1min),
                 Done<Stored>([this](const Result<Stored>& result) { Go(result); }));
  }
  void End() { is_ending_ = true; }
  void Wait() { ended_.get_future().get(); }

 private:
  void Go(const Result<Stored>& result) {
    if (!result) return ended_.set_exception(std::make_exception_ptr(std::runtime_error(result.error().message)));
    ++count_;
    if (is_ending_) return ended_.set_value();
    lock_.Update(BootClock::now() + kPatience, HeldBy("a", 1min), result->version,
                 Done<Stored>([this](const Result<Stored>& next) { Go(next); }));
  }

  RedisLock lock_;
  std::atomic<std::int64_t>& count_;
  std::atomic<bool> is_ending_ = false;
  std::promise<void> ended_;
};

void Renewals(const std::string& key, int elections) {
  const auto client = Connect();
  std::atomic<std::int64_t> count = 0;
  std::deque<Renewed> all;
  for (int i = 0; i < elections; ++i) all.emplace_back(client, key + "-" + std::to_string(i), count).Begin();
  std::promise<void> never;
  (void)never.get_future().wait_for(1s);  // until all hold theirs
  const std::int64_t before = count;
  const MonotonicTime begin = BootClock::now();
  never = {};
  (void)never.get_future().wait_for(5s);
  std::cout << static_cast<double>(count - before) / std::chrono::duration<double>(BootClock::now() - begin).count()
            << std::endl;
  for (Renewed& one : all) one.End();
  for (Renewed& one : all) one.Wait();
}

}  // namespace
}  // namespace leaderelection::bench

int main(int count, char** words) {
  using namespace leaderelection::bench;
  const std::string what = count == 4 ? words[1] : "";
  const int number = count == 4 ? std::atoi(words[3]) : 0;
  if (what == "acquire-release") {
    AcquireAndRelease(words[2], number);
  } else if (what == "lead-release") {
    LeadAndRelease(words[2], number);
  } else if (what == "hand-off") {
    HandOffs([&] { return OnKey(words[2]); }, number);
  } else if (what == "take-over") {
    TakeOvers(words[2], number);
  } else if (what == "renewals") {
    Renewals(words[2], number);
  } else {
    std::cerr
        << "usage: redis_bench acquire-release|lead-release|hand-off|take-over|renewals KEY COUNT, with REDIS_HOST "
           "and the like\n";
    return 2;
  }
}

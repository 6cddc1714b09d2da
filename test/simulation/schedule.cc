#include "simulation/schedule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "simulation/adversary.h"
#include "simulation/candidate.h"
#include "simulation/client_go_policy.h"
#include "simulation/network.h"
#include "simulation/store.h"
#include "simulation/world.h"

namespace leaderelection::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A Lease knows whole seconds only.
Record AsLease(Record record) {
  record.lease_duration = std::chrono::ceil<seconds>(record.lease_duration);
  return record;
}

class Schedule {
 public:
  Schedule(std::uint64_t seed, const ScheduleOptions& options)
      : options_(options),
        world_(seed, options.trace),
        faults_(world_.random, options.faults),
        like_lease_(world_.random.Chance(0.5)),
        store_(world_, Nature(), [this](std::size_t entry) { network_.OnStoreChange(entry); }),
        oracles_(world_, store_, options.keep_going || options.rules != Rules::kOurs),
        network_(world_, store_, faults_, oracles_, options.plant == Plant::kAnyVersionWrites) {
    Populate();
  }

  Outcome Run() {
    CalmTrial trial(stage_, candidates_, options_.plant, options_.rules != Rules::kOurs,
                    options_.faults[static_cast<std::size_t>(Fault::kRolledBack)]);
    // A schedule too short for both is all storm.
    const bool calms = options_.length >= trial.length() + seconds(30);
    const TrueTime calm_at = calms ? options_.length - trial.length() : TrueTime(options_.length);
    Adversary adversary(stage_, candidates_, calm_at);
    for (const auto& candidate : candidates_) {
      world_.At(world_.random.Between(seconds(0), seconds(5)), [&candidate] {
        candidate->Start(static_cast<int>(candidate->traits().seat), false, Policy::Standing::kAlways);
      });
    }
    world_.At(seconds(5), [&adversary] { adversary.Begin(); });
    world_.RunUntil(calm_at);
    if (calms && !world_.stopped()) {
      faults_.Calm();
      adversary.Calm(options_.plant == Plant::kCutOffWhenCalm);
      trial.Begin();
      world_.RunUntil(options_.length);
    }
    return {oracles_.violations(), oracles_.tally(), faults_.counts(), trial.hand_off(), world_.journal.hash()};
  }

 private:
  Store::Nature Nature() {
    return {.expires = faults_.Strike(Fault::kNativeExpiry), .clock_rate = Rate(), .skips_equal = like_lease_};
  }

  // Somewhere between the slowest and the fastest, whose ratio is what was asked for.
  double Rate() { return std::pow(options_.ratio, world_.random.Between(-0.5, 0.5)); }

  void Populate() {
    Random& random = world_.random;
    const std::size_t drawn = random.Chance(0.7) ? 3 : 4 + random.Below(4);
    const std::size_t count = options_.candidates.value_or(drawn);
    const bool mixed = faults_.Strike(Fault::kMixedSettings);
    const bool twins = faults_.Strike(Fault::kTwins);
    const std::size_t slowest = random.Below(count);
    const std::size_t fastest = (slowest + 1 + random.Below(count - 1)) % count;
    for (std::size_t seat = 0; seat < count; ++seat) {
      Candidate::Traits traits{.seat = seat, .settings = Settings(mixed), .clock_rate = Rate()};
      traits.settings.identity = twins && seat < 2 ? "twin" : std::string(1, static_cast<char>('a' + seat));
      if (seat == slowest) traits.clock_rate = std::pow(options_.ratio, -0.5);
      if (seat == fastest) traits.clock_rate = std::pow(options_.ratio, 0.5);
      traits.uptime = random.Scattered(seconds(60), std::chrono::hours(1000));
      traits.wall_offset =
          std::chrono::duration_cast<std::chrono::microseconds>(random.Between(seconds(-600), seconds(600)));
      candidates_.push_back(
          std::make_unique<Candidate>(stage_, std::move(traits), options_.plant,
                                      options_.rules == Rules::kOurs ? &MakeOurPolicy : &MakeClientGoPolicy));
    }
  }

  ElectionSettings Settings(bool mixed) {
    struct Durations {
      milliseconds lease, renew, retry;
    };
    // Each tolerates clocks of a ratio of 1.5 or more.
    constexpr Durations kUsual{seconds(15), seconds(10), seconds(2)};
    constexpr Durations kOthers[] = {kUsual,
                                     {seconds(15), seconds(8), seconds(1)},
                                     {seconds(9), seconds(6), seconds(1)},
                                     {seconds(6), seconds(3), milliseconds(500)},
                                     {milliseconds(4500), seconds(3), milliseconds(700)},
                                     {seconds(24), seconds(16), seconds(4)}};
    const Durations durations = mixed ? kOthers[world_.random.Below(std::size(kOthers))] : kUsual;
    ElectionSettings settings;
    settings.lease_duration = durations.lease;
    settings.renew_deadline = durations.renew;
    settings.retry_period = settings.renew_interval = durations.retry;
    settings.drain_timeout = world_.random.Chance(0.5) ? seconds(5) : seconds(30);
    if (like_lease_) {
      settings.storable = &AsLease;
      settings.release_spread = milliseconds(10);
    }
    return settings;
  }

  const ScheduleOptions& options_;
  World world_;
  Faults faults_;
  const bool like_lease_;
  Store store_;
  Oracles oracles_;
  Network network_;
  FencedRegister fenced_;
  const Stage stage_{world_, faults_, store_, oracles_, network_, fenced_};
  std::vector<std::unique_ptr<Candidate>> candidates_;
};

}  // namespace

Outcome RunSchedule(std::uint64_t seed, const ScheduleOptions& options) { return Schedule(seed, options).Run(); }

}  // namespace leaderelection::simulation

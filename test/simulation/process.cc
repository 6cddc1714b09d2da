#include "simulation/process.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leaderelection::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

Process::Process(const Stage& stage, Identity identity, Link& link, std::shared_ptr<SimClock> clock,
                 const ElectionSettings& settings, Plant plant, MakePolicy make_policy)
    : stage_(stage),
      identity_(std::move(identity)),
      link_(link),
      clock_(std::move(clock)),
      settings_(settings),
      plant_(plant),
      executor_(std::make_shared<SimExecutor>(stage.world, clock_, *this)) {
  const bool watchable = !stage.faults.Strike(Fault::kWatchRefused);
  const milliseconds watch_delay = plant == Plant::kWatchIsSlow ? seconds(5) : seconds(0);
  ElectionSettings followed = settings_;
  if (plant == Plant::kHasty) followed.retry_period = followed.renew_interval = settings_.retry_period / 400;
  if (plant == Plant::kRecordsLast) followed.lease_duration *= 2;
  policy_ = make_policy(Means{.settings = std::move(followed),
                              .lock = stage.network.MakeLock(*this, watchable, watch_delay),
                              .executor = executor_,
                              .clock = clock_,
                              .program = this});
  stage_.oracles.OnBorn(*this);
}

void Process::Stand(Policy::Standing how) {
  stage_.world.journal.Note(stage_.world.now(), name(), "stands",
                            [&] { return std::to_string(static_cast<int>(how)); });
  idle_ = false;
  standing_ = how;
  policy_->Stand(how);
}

void Process::Resign(Election::Resignation how, bool release) {
  stage_.world.journal.Note(stage_.world.now(), name(), how == Election::Resignation::kStop ? "stop" : "step down",
                            [&] { return std::string(release ? "with release" : "without release"); });
  policy_->Resign(how, release);
}

void Process::Crash() {
  stage_.world.journal.Note(stage_.world.now(), name(), "crashes");
  alive_ = false;
  work_running_ = false;
  executor_->Kill();
  policy_.reset();
  stage_.oracles.OnDead(*this);
}

void Process::Recover() {
  if (work_running_ && work_stopping_) Return(work_);
  if (standing_ == Policy::Standing::kOneAttempt && !idle_) Resign(Election::Resignation::kStop, true);
  if (standing_ != Policy::Standing::kOneAttempt) Stand(Policy::Standing::kAlways);
}

void Process::BeforeTask() { led_before_ = policy_->MayLead() && !found_over_; }
void Process::AfterTask() { stage_.oracles.AfterStep(*this, led_before_ && plant_ != Plant::kForgetsItLed); }

void Process::OnTermStarted(std::uint64_t number) {
  if (plant_ == Plant::kNumbersFall) number = 1'000'000 - number;
  const Entry* acquired = stage_.store.Find(id(), number);
  term_ = acquired != nullptr ? acquired->term : 0;
  stage_.oracles.OnTermStarted(*this, number);
  if (plant_ == Plant::kStartToldTwice) stage_.oracles.OnTermStarted(*this, number);
  in_term_ = true;
  found_over_ = false;
  number_ = number;
  work_stopping_ = false;
  ++work_;
  first_act_ = stage_.world.random.Wait(milliseconds(500));
  policy_->StartWork();
  if (standing_ != Policy::Standing::kOneAttempt) return;
  // Who tried once and got it gives it back by himself.
  stage_.world.After(stage_.world.random.Between(seconds(1), seconds(20)), [this, work = work_] {
    if (alive_ && in_term_ && work == work_) Resign(Election::Resignation::kStop, true);
  });
}

void Process::OnWorkStarts() {
  work_running_ = true;
  stage_.world.After(first_act_, [this, work = work_] { Act(work); });
}

void Process::OnWorkMustStop() {
  stage_.oracles.OnWorkMustStop(*this);
  StopWork(work_);
}

void Process::OnTermEnded() {
  stage_.oracles.OnTermEnded(*this);
  in_term_ = false;
  StopWork(work_);
}

void Process::OnIdle() {
  stage_.world.journal.Note(stage_.world.now(), name(), "idle");
  if (std::exchange(idle_, true)) return;
  const TrueTime rest = stage_.faults.storm() ? stage_.world.random.Between(seconds(0), seconds(8)) : seconds(5);
  stage_.world.After(rest, [this] { StandAgain(); });
}

void Process::StandAgain() {
  if (!alive_ || !idle_) return;
  if (!stage_.faults.storm()) return Stand(Policy::Standing::kAlways);
  constexpr Policy::Standing kWays[] = {
      Policy::Standing::kAlways, Policy::Standing::kAlways,     Policy::Standing::kAlways,   Policy::Standing::kOneTerm,
      Policy::Standing::kAlways, Policy::Standing::kOneAttempt, Policy::Standing::kObserving};
  const auto way = kWays[stage_.world.random.Below(std::size(kWays))];
  // The elector refuses an attempt while earlier work runs.
  Stand(way == Policy::Standing::kOneAttempt && work_running_ ? Policy::Standing::kAlways : way);
}

// The work asks whether it leads, and if so writes: at once to a place that knows no numbers, and to one that does by a
// message that may take its time.
void Process::Act(std::uint32_t work) {
  if (!alive_ || !work_running_ || work != work_) return;
  World& world = stage_.world;
  if (executor_->paused()) return world.At(executor_->paused_until(), [this, work] { Act(work); });
  if (!policy_->AskLeads()) {
    found_over_ = true;
  } else {
    stage_.oracles.OnUnfencedWrite(*this);
    const bool slow = stage_.faults.storm() && world.random.Chance(0.2);
    const TrueTime delay = slow ? world.random.Scattered(milliseconds(10), seconds(30)) : TrueTime(milliseconds(1));
    struct Write {
      std::uint64_t number;
      std::size_t term;
    };
    world.After(delay, [this, write = std::make_shared<Write>(Write{number_, term_})] {
      const bool taken = stage_.fenced.Write(write->number) || plant_ == Plant::kRegisterTakesAll;
      stage_.oracles.OnFencedWrite(write->term, taken);
    });
  }
  world.After(world.random.Wait(seconds(2)), [this, work] { Act(work); });
}

void Process::StopWork(std::uint32_t work) {
  if (!work_running_ || work_stopping_ || work != work_) return;
  work_stopping_ = true;
  TrueTime takes = stage_.world.random.Scattered(milliseconds(1), milliseconds(50));
  if (stage_.faults.Strike(Fault::kWorkLate)) takes = stage_.world.random.Scattered(milliseconds(100), seconds(12));
  if (stage_.faults.Strike(Fault::kWorkStuck)) takes = stage_.world.random.Between(seconds(12), seconds(60));
  stage_.world.After(takes, [this, work] { Return(work); });
  if (plant_ == Plant::kWorkLies) policy_->WorkReturned();
}

void Process::Return(std::uint32_t work) {
  if (!alive_ || !work_running_ || work != work_) return;
  if (executor_->paused()) return stage_.world.At(executor_->paused_until(), [this, work] { Return(work); });
  stage_.world.journal.Note(stage_.world.now(), name(), "work returns");
  work_running_ = false;
  policy_->WorkReturned();
}

}  // namespace leaderelection::simulation

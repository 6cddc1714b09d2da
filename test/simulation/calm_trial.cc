#include "simulation/calm_trial.h"

#include <algorithm>
#include <string>

namespace leaderelection::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

TrueTime OnClock(milliseconds duration, double rate) {
  return std::chrono::duration_cast<TrueTime>(std::chrono::duration<double, std::nano>(duration) / rate);
}

}  // namespace

CalmTrial::CalmTrial(const Stage& stage, const std::vector<std::unique_ptr<Candidate>>& candidates, Plant plant,
                     bool patient, bool forgetful)
    : stage_(stage), candidates_(candidates), plant_(plant), patient_(patient) {
  milliseconds lease = seconds(20);  // as long as an outsider's edit makes it
  milliseconds retry{0};
  for (const auto& candidate : candidates) {
    slowest_ = std::min(slowest_, candidate->traits().clock_rate);
    lease = std::max(lease, candidate->traits().settings.lease_duration + seconds(2));
    retry = std::max(retry, candidate->traits().settings.retry_period);
  }
  longest_lease_ = OnClock(lease, slowest_);
  longest_retry_ = OnClock(retry, slowest_);
  // A record seen at the last moment is waited out; before that a request may have to time out, or a wish be honoured.
  settling_ = (forgetful ? 2 : 1) * longest_lease_ + longest_retry_ + seconds(10);
  taking_over_ = longest_lease_ + (patient ? 5 : 1) * longest_retry_ + seconds(1);
}

void CalmTrial::Begin() {
  stage_.world.After(settling_, [this] { ExpectLeader(); });
}

Process* CalmTrial::Leader() const {
  for (const auto& candidate : candidates_) {
    if (candidate->process().Leads()) return &candidate->process();
  }
  return nullptr;
}

void CalmTrial::ExpectLeader() {
  leader_ = Leader();
  if (leader_ == nullptr) return stage_.oracles.Violate("leader", "nobody leads, long after all is calm");
  terms_ = stage_.oracles.tally().terms;
  requests_.clear();
  for (const auto& candidate : candidates_) requests_.push_back(candidate->process().requests);
  stage_.world.After(kQuiet, [this] { ExpectQuiet(); });
  if (plant_ != Plant::kNone) stage_.world.After(seconds(1), [this] { Disturb(); });
}

void CalmTrial::Disturb() {
  if (plant_ == Plant::kPausedWhenCalm) leader_->Pause(stage_.world.now() + seconds(12));
  if (plant_ != Plant::kWatchFlapsWhenCalm) return;
  for (const auto& candidate : candidates_) stage_.network.BreakWatch(candidate->process());
  stage_.world.After(seconds(8), [this] { Disturb(); });
}

void CalmTrial::ExpectQuiet() {
  if (stage_.oracles.tally().terms != terms_ || Leader() != leader_) {
    return stage_.oracles.Violate("stability", leader_->name() + " lost the lock though all was calm");
  }
  for (std::size_t seat = 0; seat < candidates_.size(); ++seat) {
    const Process& process = candidates_[seat]->process();
    const auto sent = static_cast<double>(process.requests - requests_[seat]);
    const double local = 60e3 * process.clock().rate();
    double allowed = 1;
    if (&process == leader_) {
      allowed = local / static_cast<double>(process.settings().renew_interval.count()) + 1;
    } else if (!stage_.network.HasLiveWatch(process)) {
      allowed = local / (0.8 * static_cast<double>(process.settings().retry_period.count())) + 1;
      // Who looks less often than the holder's record lasts tries to take it in between, is refused, and looks again.
      if (leader_->settings().lease_duration < 2 * process.settings().retry_period) allowed *= 3;
    }
    if (sent > allowed) {
      return stage_.oracles.Violate("quiet", process.name() + " sends " +
                                                 std::to_string(process.requests - requests_[seat]) +
                                                 " requests in a calm minute");
    }
  }
  Provoke();
}

TrueTime CalmTrial::Allowed() const {
  if (patient_) return taking_over_;
  const bool seen = std::any_of(candidates_.begin(), candidates_.end(), [this](const auto& candidate) {
    const Process& process = candidate->process();
    return &process != leader_ && process.alive() && stage_.network.HasLiveWatch(process);
  });
  const TrueTime round_trips = milliseconds(300) + (seen ? TrueTime(0) : longest_retry_);
  if (kind_ == HandOff::Kind::kRelease) return round_trips;
  return OnClock(std::chrono::ceil<seconds>(leader_->settings().lease_duration), slowest_) + round_trips;
}

void CalmTrial::Provoke() {
  const auto way = stage_.world.random.Below(3);
  kind_ = way == 0 ? HandOff::Kind::kCrash : leader_->releases() ? HandOff::Kind::kRelease : HandOff::Kind::kNoRelease;
  provoked_at_ = stage_.world.now();
  allowed_ = Allowed();
  if (way == 0) {
    leader_->Crash();
  } else {
    leader_->Resign(way == 1 ? Election::Resignation::kStop : Election::Resignation::kStepDown, true);
  }
  stage_.world.After(allowed_, [this] { ExpectSuccessor(); });
}

void CalmTrial::ExpectSuccessor() {
  const Process* successor = Leader();
  if (successor != nullptr && (successor != leader_ || patient_)) {
    hand_off_ = HandOff{kind_, stage_.oracles.last_start() - provoked_at_};
    return;
  }
  stage_.oracles.Violate(kind_ == HandOff::Kind::kRelease ? "hand-off" : "take-over",
                         "nobody follows " + leader_->name() + " in the time allowed");
}

}  // namespace leaderelection::simulation

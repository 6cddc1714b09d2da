#include "simulation/adversary.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace leaderelection::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

Adversary::Adversary(const Stage& stage, std::vector<std::unique_ptr<Candidate>>& candidates, TrueTime calm_at)
    : stage_(stage), candidates_(candidates), calm_at_(calm_at), next_id_(static_cast<int>(candidates.size())) {}

void Adversary::PlanNext() {
  const TrueTime at = stage_.world.now() + stage_.world.random.Wait(stage_.faults.mean_interval());
  if (at >= calm_at_) return;
  stage_.world.At(at, [this] {
    if (const auto fault = stage_.faults.PickTimed()) Strike(*fault);
    PlanNext();
  });
}

// Whoever leads has most to lose.
Candidate& Adversary::Victim() {
  if (stage_.world.random.Chance(0.5)) {
    for (const auto& candidate : candidates_) {
      if (candidate->process().Leads()) return *candidate;
    }
  }
  return *candidates_[stage_.world.random.Below(candidates_.size())];
}

TrueTime Adversary::Until(TrueTime shortest, TrueTime longest) {
  return std::min(calm_at_, stage_.world.now() + stage_.world.random.Scattered(shortest, longest));
}

void Adversary::Strike(Fault fault) {
  World& world = stage_.world;
  Candidate& victim = Victim();
  Process& process = victim.process();
  if (!process.alive()) return;
  world.journal.Note(world.now(), process.name(), "fault", [&] { return std::string(ToString(fault)); });
  bool done = true;
  switch (fault) {
    case Fault::kWatchLost:
      stage_.network.BreakWatch(process);
      break;
    case Fault::kWatchSilent:
      stage_.network.SilenceWatch(process, Until(seconds(1), seconds(40)));
      break;
    case Fault::kRelabelled:
      done = stage_.store.Relabel();
      break;
    case Fault::kDurationEdited:
      done = stage_.store.EditDuration(seconds(1 + world.random.Below(20)));
      break;
    case Fault::kDeleted:
      done = stage_.store.Delete();
      break;
    case Fault::kPartition:
      victim.link.replies_cut_until = victim.link.requests_cut_until = Until(milliseconds(200), seconds(40));
      stage_.network.SilenceWatch(process, victim.link.replies_cut_until);
      break;
    case Fault::kOneWay:
      victim.link.replies_cut_until = Until(milliseconds(200), seconds(40));
      stage_.network.SilenceWatch(process, victim.link.replies_cut_until);
      break;
    case Fault::kForbidden:
      victim.link.forbidden_until = Until(milliseconds(200), seconds(20));
      break;
    case Fault::kWallStep:
      victim.clock().StepWall(
          std::chrono::duration_cast<std::chrono::microseconds>(world.random.Between(seconds(-3600), seconds(3600))));
      break;
    case Fault::kWallFrozen:
      victim.clock().FreezeWall();
      world.At(Until(seconds(1), seconds(60)), [&victim] { victim.clock().ThawWall(); });
      break;
    case Fault::kStall:
      process.Stall(Until(milliseconds(20), seconds(25)));
      break;
    case Fault::kPause:
      process.Pause(Until(milliseconds(100), seconds(40)));
      break;
    case Fault::kSuspend: {
      const TrueTime until = Until(seconds(1), seconds(60));
      process.Pause(until);
      victim.clock().Sleep(until);
      victim.link.asleep_until = until;
      stage_.network.SilenceWatch(process, until);
      break;
    }
    case Fault::kCrash:
    case Fault::kNamesakeRestart: {
      process.Crash();
      const TrueTime until = Until(milliseconds(100), seconds(30));
      if (fault == Fault::kCrash) {
        world.At(until, [this, &victim] { Restart(victim, false); });
      } else {
        world.At(until, [this, &victim] { Restart(victim, true); });
      }
      break;
    }
    case Fault::kStop:
      process.Resign(Election::Resignation::kStop, world.random.Chance(0.7));
      break;
    case Fault::kStepDown:
      process.Resign(Election::Resignation::kStepDown, world.random.Chance(0.8));
      break;
    case Fault::kRolledBack: {
      const std::uint64_t highest = stage_.store.order();
      done = stage_.store.RollBack(1 + world.random.Below(20));
      if (done) stage_.oracles.OnRolledBack(highest);
      break;
    }
    case Fault::kForged:
      stage_.oracles.OnForged();
      done = stage_.store.ClearHolder();
      break;
    default:
      done = false;
  }
  if (done) stage_.faults.Count(fault);
}

void Adversary::Restart(Candidate& candidate, bool same_name) {
  if (candidate.process().alive()) return;
  candidate.Start(next_id_++, same_name, Policy::Standing::kAlways);
}

void Adversary::Calm(bool cut_off) {
  stage_.network.LoseWhatIsUnderWay();
  for (const auto& candidate : candidates_) {
    candidate->clock().ThawWall();
    candidate->link = Link();
    if (cut_off) candidate->link.requests_cut_until = TrueTime::max();
    if (candidate->process().alive()) {
      candidate->process().Recover();
    } else {
      Restart(*candidate, false);
    }
  }
}

}  // namespace leaderelection::simulation

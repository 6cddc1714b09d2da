// Does to the candidates and to the store what happens now and then.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "simulation/candidate.h"
#include "simulation/process.h"

namespace leaderelection::simulation {

class Adversary {
 public:
  // Whatever it does is over by `calm_at`.
  Adversary(const Stage& stage, std::vector<std::unique_ptr<Candidate>>& candidates, TrueTime calm_at);

  void Begin() { PlanNext(); }
  // Undoes what lasts: the dead run again, the idle stand, broken connections are made again.
  // Planted: all but the cables, which are cut for good.
  void Calm(bool cut_off);

 private:
  void PlanNext();
  void Strike(Fault fault);
  [[nodiscard]] Candidate& Victim();
  // Until some time after now, and before all is calm.
  [[nodiscard]] TrueTime Until(TrueTime shortest, TrueTime longest);
  void Restart(Candidate& candidate, bool same_name);

  Stage stage_;
  std::vector<std::unique_ptr<Candidate>>& candidates_;
  const TrueTime calm_at_;
  int next_id_;
};

}  // namespace leaderelection::simulation

// One of those who want to lead: a machine with its clocks and its cable, on which one process after another runs.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "simulation/network.h"
#include "simulation/process.h"
#include "simulation/sim_clock.h"

namespace leaderelection::simulation {

class Candidate {
 public:
  struct Traits {
    std::size_t seat = 0;
    ElectionSettings settings;  // its identity is the name of the first process
    double clock_rate = 1.0;
    std::chrono::nanoseconds uptime{0};
    std::chrono::microseconds wall_offset{0};
  };

  Candidate(const Stage& stage, Traits traits, Plant plant, Process::MakePolicy make_policy)
      : stage_(stage),
        traits_(std::move(traits)),
        plant_(plant),
        make_policy_(make_policy),
        clock_(std::make_shared<SimClock>(stage.world, traits_.clock_rate, traits_.uptime, traits_.wall_offset)),
        identity_(traits_.settings.identity) {}

  // Runs a new process; `id` is unlike any other's. Whoever ran before has crashed.
  void Start(int id, bool same_name, Policy::Standing how) {
    if (!same_name && !processes_.empty()) identity_ = traits_.settings.identity + std::to_string(id);
    ElectionSettings settings = traits_.settings;
    settings.identity = identity_;
    settings.seed = stage_.world.random.Next();
    const std::string name = std::string(1, static_cast<char>('a' + traits_.seat)) + std::to_string(id);
    processes_.push_back(std::make_unique<Process>(stage_, Process::Identity{id, traits_.seat, name}, link, clock_,
                                                   settings, plant_, make_policy_));
    process().Stand(how);
  }

  // The present one, or the last one.
  [[nodiscard]] Process& process() const { return *processes_.back(); }
  [[nodiscard]] SimClock& clock() const { return *clock_; }
  [[nodiscard]] const Traits& traits() const { return traits_; }

  Link link;

 private:
  const Stage stage_;
  const Traits traits_;
  const Plant plant_;
  const Process::MakePolicy make_policy_;
  const std::shared_ptr<SimClock> clock_;
  std::string identity_;
  std::vector<std::unique_ptr<Process>> processes_;  // dead ones too: what they sent is still on its way
};

}  // namespace leaderelection::simulation

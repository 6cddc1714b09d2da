// The rules by which a process takes part in the election: ours, or for comparison another's.

#pragma once

#include <cstdint>
#include <memory>

#include "core/election.h"
#include "leaderelection/resource_lock.h"
#include "simulation/sim_executor.h"

namespace leaderelection::simulation {

// The program that the policy serves.
class Program {
 public:
  virtual ~Program() = default;
  virtual void OnTermStarted(std::uint64_t number) = 0;
  virtual void OnWorkStarts() = 0;
  virtual void OnWorkMustStop() = 0;
  virtual void OnTermEnded() = 0;
  virtual void OnIdle() = 0;
};

class Policy {
 public:
  enum class Standing { kAlways, kOneTerm, kObserving, kOneAttempt };

  virtual ~Policy() = default;

  virtual void Stand(Standing how) = 0;
  virtual void Resign(Election::Resignation how, bool release) = 0;
  // OnWorkStarts follows, unless the term is ending by then.
  virtual void StartWork() = 0;
  virtual void WorkReturned() = 0;

  // Whether it gives the lock up when it is asked to.
  [[nodiscard]] virtual bool Releases() const { return true; }
  // What the program would be told if it asked now. Asking may change things, so the oracles look instead.
  [[nodiscard]] virtual bool AskLeads() = 0;
  [[nodiscard]] virtual bool Leads() const = 0;
  // As precisely as the policy counts time: false only if the term is certainly over.
  [[nodiscard]] virtual bool MayLead() const { return Leads(); }
};

// What a policy is given to work with.
struct Means {
  ElectionSettings settings;
  std::shared_ptr<ResourceLock> lock;
  std::shared_ptr<SimExecutor> executor;
  std::shared_ptr<SimClock> clock;
  Program* program = nullptr;
};

std::unique_ptr<Policy> MakeOurPolicy(Means means);

}  // namespace leaderelection::simulation

// One run of a candidate's program: the policy it follows and the work it does while it leads.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simulation/faults.h"
#include "simulation/fenced_register.h"
#include "simulation/network.h"
#include "simulation/oracles.h"
#include "simulation/policy.h"
#include "simulation/sim_clock.h"
#include "simulation/sim_executor.h"
#include "simulation/world.h"

namespace leaderelection::simulation {

// What everybody on it shares.
struct Stage {
  World& world;
  Faults& faults;
  Store& store;
  Oracles& oracles;
  Network& network;
  FencedRegister& fenced;
};

// A mistake made on purpose, to see that an oracle notices.
enum class Plant {
  kNone,
  kAnyVersionWrites,    // the store compares nothing
  kNumbersFall,         // later terms have lower numbers
  kRegisterTakesAll,    // the fenced register compares nothing
  kWorkLies,            // it says that it has returned before it has
  kStartToldTwice,      // one term is announced as two
  kForgetsItLed,        // nothing is known of a term that goes on
  kCutOffWhenCalm,      // nobody reaches the store
  kPausedWhenCalm,      // whoever leads is stopped for longer than its term
  kWatchFlapsWhenCalm,  // breaks and is made again all the time
  kHasty,               // everybody asks much more often than it is set to
  kRecordsLast,         // longer than the holder is set to
  kWatchIsSlow,         // events come seconds late
};

class Process final : public Program, public TaskObserver {
 public:
  using MakePolicy = std::unique_ptr<Policy> (*)(Means);
  struct Identity {
    int id = 0;            // among all processes of the schedule
    std::size_t seat = 0;  // which candidate
    std::string name;
  };

  Process(const Stage& stage, Identity identity, Link& link, std::shared_ptr<SimClock> clock,
          const ElectionSettings& settings, Plant plant, MakePolicy make_policy);

  void Stand(Policy::Standing how);
  void Resign(Election::Resignation how, bool release);
  // SIGKILL. What it sent is on its way all the same.
  void Crash();
  // Nothing of it runs before `until`, its work included.
  void Pause(TrueTime until) { executor_->PauseUntil(until); }
  // Its executor runs nothing before `until`; its work goes on and asks whether it leads.
  void Stall(TrueTime until) { executor_->HoldUntil(until); }
  // The trouble is over: what hung returns, who did not stand does.
  void Recover();

  [[nodiscard]] int id() const { return identity_.id; }
  [[nodiscard]] std::size_t seat() const { return identity_.seat; }
  [[nodiscard]] const std::string& name() const { return identity_.name; }
  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] bool Leads() const { return alive_ && policy_->Leads(); }
  [[nodiscard]] bool releases() const { return policy_->Releases(); }
  [[nodiscard]] bool in_term() const { return in_term_; }
  [[nodiscard]] bool work_running() const { return work_running_; }
  [[nodiscard]] std::size_t term() const { return term_; }
  [[nodiscard]] bool idle() const { return idle_; }
  [[nodiscard]] bool holds_still() const { return executor_->held(); }
  [[nodiscard]] Link& link() const { return link_; }
  [[nodiscard]] const SimClock& clock() const { return *clock_; }
  [[nodiscard]] const ElectionSettings& settings() const { return settings_; }

  // For the oracles' use.
  Knowledge knowledge;
  std::int64_t minute = 0;
  std::uint64_t requests_in_minute = 0;
  std::uint64_t requests = 0;
  bool told_of_term = false;
  bool term_is_new = false;

  // Program
  void OnTermStarted(std::uint64_t number) override;
  void OnWorkStarts() override;
  void OnWorkMustStop() override;
  void OnTermEnded() override;
  void OnIdle() override;
  // TaskObserver
  void BeforeTask() override;
  void AfterTask() override;

 private:
  void Act(std::uint32_t work);
  void StopWork(std::uint32_t work);
  void Return(std::uint32_t work);
  void StandAgain();

  Stage stage_;
  const Identity identity_;
  Link& link_;
  const std::shared_ptr<SimClock> clock_;
  const ElectionSettings settings_;
  const Plant plant_;
  std::shared_ptr<SimExecutor> executor_;
  std::unique_ptr<Policy> policy_;
  bool alive_ = true;
  bool idle_ = true;
  bool led_before_ = false;
  Policy::Standing standing_ = Policy::Standing::kAlways;

  bool in_term_ = false;
  bool found_over_ = false;  // the work was told that it is
  std::uint64_t number_ = 0;
  std::size_t term_ = 0;  // the entry that began it
  bool work_running_ = false;
  bool work_stopping_ = false;
  std::uint32_t work_ = 0;  // counts them
  TrueTime first_act_{0};   // how long after its start
};

}  // namespace leaderelection::simulation

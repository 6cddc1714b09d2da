// Carries out one step: the store, the ways to it, and the real Election of whoever it happens to; and judges it.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/election.h"
#include "core/manual_clock.h"
#include "model/action.h"
#include "model/memory.h"
#include "model/shape.h"
#include "model/state.h"

namespace leaderelection::model {

class World {
 public:
  // Restoring: every step begins with putting the state into an Election, so that steps of many states may be mixed.
  // Otherwise the Elections live through one run from its beginning, as in a process: to compare with.
  explicit World(const Shape& shape, bool restoring = true);

  // Everybody stands, and has asked for the record.
  [[nodiscard]] State Start();
  // What rule was broken by it, if one was.
  [[nodiscard]] std::optional<std::string> Apply(State& state, const Action& action);

  // Requests sent in the last step, by anybody.
  [[nodiscard]] int requests() const { return requests_; }

 private:
  using Event = std::function<Output(Election&, Instant)>;

  void Happen(State& state, int seat, const Event& event);
  void Hear(State& state, int seat, const Announcement& announcement);
  void Begin(State& state, int seat, const announce::TermStarted& started);
  void Ask(State& state, int seat, const Request& request);

  void Tick(State& state);
  void CarryOut(State& state, int seat, Exchange& exchange);
  void Write(State& state, Exchange& exchange);
  void Change(State& state, News::Kind kind);
  void Answer(State& state, int seat, std::size_t which);
  void Tell(State& state, int seat, std::size_t which);
  void Show(State& state, Candidate& candidate, Number record) const;
  void Crash(State& state, int seat);
  void Live(State& state, int seat);
  void Resign(State& state, int seat, Election::Resignation how);
  void StartWork(State& state, int seat);
  void Blame(const State& state, int seat, const std::string& what);

  ElectionMemory& MemoryOf(const State& state, int seat) const;

  const Shape shape_;
  const bool restoring_;
  std::array<std::shared_ptr<ManualClock>, kSeats> clocks_;
  std::vector<std::unique_ptr<ElectionMemory>> memories_;  // by identity
  std::vector<ElectionImage> newborn_;                     // by identity
  int requests_ = 0;
  std::optional<std::string> broken_;
};

}  // namespace leaderelection::model

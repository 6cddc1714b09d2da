#include "model/calm.h"

#include <algorithm>

namespace leaderelection::model {

namespace {

// More than anyone may send between two ticks: the hurry that the election allows itself, and a renewal.
constexpr int kRequestsInATick = 6;

bool SomebodyLeads(const State& state) {
  return std::any_of(state.candidates.begin(), state.candidates.end(), [](const auto& one) { return one.leads(); });
}

// What comes of itself; the rest would be somebody's doing.
std::optional<Action> Next(const State& state, const Shape& shape) {
  for (const Action& action : Possible(state, shape)) {
    if (action.kind > Action::kTick && action.kind <= Action::kStandAgain) return action;
    if (action.kind == Action::kRestart) return action;
  }
  return std::nullopt;
}

}  // namespace

// A record seen at the last moment is waited out, having been overlooked for as long as a request may take; who stepped
// down lets another one go first for as long; and then there is the pace.
int TicksAllowed(const Shape& shape) {
  const auto slowest = *std::min_element(shape.tick.begin(), shape.tick.begin() + shape.candidates);
  const auto attempt = std::max<std::chrono::milliseconds>(std::chrono::seconds(1), shape.renew_deadline / 3);
  return static_cast<int>((2 * shape.lease_duration + attempt + shape.retry_period) / slowest);
}

CalmRun RunCalmly(World& world, State state, const Shape& shape) {
  CalmRun run;
  const int allowed = TicksAllowed(shape);
  const int enough = allowed + static_cast<int>(shape.lease_duration / shape.tick[0]);
  std::optional<int> led;
  for (int tick = 0; tick <= enough; ++tick) {
    int requests = 0;
    while (const auto action = Next(state, shape)) {
      run.actions.push_back(*action);
      run.broken = world.Apply(state, *action);
      requests += world.requests();
      if (run.broken) return run;
      if (requests > kRequestsInATick * shape.candidates) {
        run.broken = "the candidates send one request after another";
        return run;
      }
    }
    const bool leads = SomebodyLeads(state);
    if (leads && !led) led = run.ticks = tick;
    if (!leads && tick >= allowed) {
      run.broken = led ? "the lock is lost though all is calm" : "nobody leads long after all is calm";
      return run;
    }
    run.actions.push_back({Action::kTick});
    run.broken = world.Apply(state, run.actions.back());
    if (run.broken) return run;
  }
  return run;
}

}  // namespace leaderelection::model

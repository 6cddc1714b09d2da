#include "model/search.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "model/action.h"
#include "model/calm.h"
#include "model/canonical.h"
#include "model/visited.h"
#include "model/world.h"

namespace leaderelection::model {

namespace {

class Searcher {
 public:
  Searcher(const Shape& shape, std::uint64_t calm_every)
      : shape_(shape), calm_every_(calm_every), seatings_(Seatings(shape)), world_(shape) {}

  Findings Run() {
    const auto start = std::chrono::steady_clock::now();
    nodes_.push_back({0, Action()});
    std::vector<Open> level{{Canonicalise(world_.Start(), shape_, seatings_).bytes, 0}};
    visited_.Add(level.front().bytes);
    while (!level.empty() && found_.broken.empty() && found_.depth < shape_.depth && !Full()) {
      level = Expand(level);
      if (!level.empty()) ++found_.depth;
    }
    found_.exhausted = level.empty() && found_.broken.empty() && !Full();
    found_.states = visited_.size();
    found_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found_;
  }

 private:
  struct Node {
    std::uint32_t parent;
    Action action;
  };
  struct Open {
    std::string bytes;
    std::uint32_t node;
  };

  [[nodiscard]] bool Full() const { return visited_.size() >= shape_.states; }

  std::vector<Open> Expand(const std::vector<Open>& level) {
    std::vector<Open> next;
    for (const Open& open : level) {
      const State state = Unpack(open.bytes, shape_);
      if (open.node % calm_every_ == 0) LeaveAlone(state, open.node);
      for (const Action& action : Possible(state, shape_)) {
        if (!found_.broken.empty() || Full()) break;
        Try(state, action, open.node, next);
      }
    }
    const std::size_t held = visited_.memory() + nodes_.capacity() * sizeof(Node) +
                             (level.size() + next.size()) * (sizeof(Open) + level.front().bytes.size());
    found_.memory = std::max(found_.memory, held);
    return next;
  }

  void Try(const State& before, const Action& action, std::uint32_t node, std::vector<Open>& next) {
    ++found_.transitions;
    State state = before;
    const auto broken = world_.Apply(state, action);
    if (broken) return Blame(*broken, node, {action});
    Canonical canonical = Canonicalise(state, shape_, seatings_);
    if (!visited_.Add(canonical.bytes)) return;
    next.push_back({std::move(canonical.bytes), static_cast<std::uint32_t>(nodes_.size())});
    nodes_.push_back({node, action});
  }

  void LeaveAlone(const State& state, std::uint32_t node) {
    const CalmRun run = RunCalmly(world_, state, shape_);
    ++found_.calm_runs;
    found_.longest_calm = std::max(found_.longest_calm, run.ticks);
    if (run.broken) Blame(*run.broken, node, run.actions);
  }

  // The way there from the start, and what came after.
  void Blame(const std::string& broken, std::uint32_t node, const std::vector<Action>& after) {
    if (!found_.broken.empty()) return;
    found_.broken = broken;
    std::vector<Action> way;
    for (; node != 0; node = nodes_[node].parent) way.push_back(nodes_[node].action);
    std::reverse(way.begin(), way.end());
    State state = Unpack(Canonicalise(world_.Start(), shape_, seatings_).bytes, shape_);
    Seating names = seatings_.front();  // who sits where
    for (const Action& action : way) {
      Narrate(action, state, names);
      static_cast<void>(world_.Apply(state, action));
      const Canonical canonical = Canonicalise(state, shape_, seatings_);
      const Seating before = names;
      for (std::size_t seat = 0; seat < names.size(); ++seat) {
        names[static_cast<std::size_t>(canonical.seating[seat])] = before[seat];
      }
      state = Unpack(canonical.bytes, shape_);
    }
    for (const Action& action : after) {
      Narrate(action, state, names);
      static_cast<void>(world_.Apply(state, action));
    }
  }

  void Narrate(const Action& action, const State& state, const Seating& names) {
    const Candidate& candidate = state.candidates[action.seat];
    const int seat = names[action.seat];
    found_.path.push_back(Describe(action, state, NameOf(IdentityOf(seat, candidate.generation))) +
                          Standing(state, names));
  }

  // Who leads, before the step.
  [[nodiscard]] std::string Standing(const State& state, const Seating& names) const {
    for (int seat = 0; seat < shape_.candidates; ++seat) {
      const Candidate& candidate = state.candidates[static_cast<std::size_t>(seat)];
      if (!candidate.leads()) continue;
      const int named = names[static_cast<std::size_t>(seat)];
      return "   (" + NameOf(IdentityOf(named, candidate.generation)) + " leads for " +
             std::to_string(candidate.election.valid_until) + ")";
    }
    return "";
  }

  const Shape shape_;
  const std::uint64_t calm_every_;
  const std::vector<Seating> seatings_;
  World world_;
  Visited visited_;
  std::vector<Node> nodes_;
  Findings found_;
};

}  // namespace

Findings Search(const Shape& shape, std::uint64_t calm_every) { return Searcher(shape, calm_every).Run(); }

}  // namespace leaderelection::model

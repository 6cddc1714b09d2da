#include "simulation/faults.h"

#include <algorithm>
#include <iterator>

namespace leaderelection::simulation {

namespace {

constexpr std::string_view kNames[] = {
    "delay",
    "late",
    "request-lost",
    "reply-lost",
    "twice",
    "hung",
    "dropped",
    "error-before",
    "error-after",
    "throttled",
    "conflict",
    "stale-ack",
    "changed-reply",
    "changed-write",
    "watch-late",
    "watch-event-lost",
    "watch-reordered",
    "watch-refused",
    "watch-lost",
    "watch-silent",
    "relabelled",
    "duration-edited",
    "deleted",
    "partition",
    "one-way",
    "forbidden",
    "wall-step",
    "wall-frozen",
    "stall",
    "pause",
    "suspend",
    "crash",
    "namesake-restart",
    "stop",
    "step-down",
    "work-late",
    "work-stuck",
    "native-expiry",
    "mixed-settings",
    "twins",
    "rolled-back",
    "forged",
};
static_assert(std::size(kNames) == kFaults);

// Most schedules should get somewhere: what destroys a term for good comes less often than what merely disturbs it.
double OftenAtMost(Fault fault) {
  switch (fault) {
    case Fault::kNativeExpiry:
    case Fault::kMixedSettings:
      return 0.3;
    case Fault::kTwins:
    case Fault::kChangedWrite:
    case Fault::kWatchRefused:
      return 0.1;
    case Fault::kWorkStuck:
      return 0.2;
    default:
      return 0.3;
  }
}

bool IsSetUp(Fault fault) {
  return fault == Fault::kNativeExpiry || fault == Fault::kMixedSettings || fault == Fault::kTwins;
}

}  // namespace

std::string_view ToString(Fault fault) { return kNames[static_cast<std::size_t>(fault)]; }

std::optional<FaultSet> ParseFaults(std::string_view list) {
  FaultSet set;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const bool with = !name.starts_with('-');
    if (!with) name.remove_prefix(1);
    FaultSet named;
    if (name == "all" || name == "usual") {
      named.set();
      if (name == "usual") {
        named.reset(static_cast<std::size_t>(Fault::kRolledBack));
        named.reset(static_cast<std::size_t>(Fault::kForged));
      }
    } else if (const auto* found = std::find(std::begin(kNames), std::end(kNames), name); found != std::end(kNames)) {
      named.set(static_cast<std::size_t>(found - std::begin(kNames)));
    } else if (name != "none") {
      return std::nullopt;
    }
    set = with ? set | named : set & ~named;
  }
  return set;
}

Faults::Faults(Random& random, const FaultSet& set) : random_(random) {
  const double share = random_.Between(0.1, 1.0);
  for (std::size_t index = 0; index < kFaults; ++index) {
    const auto fault = static_cast<Fault>(index);
    const bool chosen = IsSetUp(fault) || random_.Chance(share);
    const double often = IsSetUp(fault) ? OftenAtMost(fault) : random_.Scattered(0.003, OftenAtMost(fault));
    if (!set[index] || !chosen) continue;
    probability_[index] = IsTimed(fault) ? random_.Scattered(0.1, 1.0) : often;
    if (IsTimed(fault)) weights_ += probability_[index];
  }
  mean_interval_ = random_.Scattered(std::chrono::seconds(2), std::chrono::seconds(60));
}

std::optional<Fault> Faults::PickTimed() {
  double ticket = random_.Fraction() * weights_;
  for (std::size_t index = 0; index < kFaults; ++index) {
    if (!IsTimed(static_cast<Fault>(index))) continue;
    if (probability_[index] > 0 && ticket < probability_[index]) return static_cast<Fault>(index);
    ticket -= probability_[index];
  }
  return std::nullopt;
}

}  // namespace leaderelection::simulation

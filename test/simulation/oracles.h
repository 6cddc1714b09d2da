// Judges from the side, in true time, what the processes do. Nothing here is known to them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/election.h"
#include "leaderelection/record.h"
#include "simulation/losses.h"
#include "simulation/store.h"
#include "simulation/world.h"

namespace leaderelection::simulation {

class Process;

struct Violation {
  std::string_view oracle;
  TrueTime at;
  std::string text;
};

struct Tally {
  std::uint64_t terms = 0;
  std::uint64_t hand_offs = 0;  // terms of another process than the one before
  std::uint64_t requests = 0;
  std::uint64_t overlaps = 0;
  TrueTime overlap_time{0};
  std::uint64_t excused_overlaps = 0;  // after a loss that is stated as a limit
  std::uint64_t writes = 0;            // taken by the fenced register
  std::uint64_t refused_writes = 0;
};

class Oracles {
 public:
  // Tolerant: goes on after a violation, to count how many there are.
  Oracles(World& world, const Store& store, bool tolerant) : world_(world), store_(store), tolerant_(tolerant) {}

  // Processes.
  void OnBorn(Process& process);
  void OnDead(const Process& process);
  void AfterStep(Process& process, bool led_before);
  void OnTermStarted(Process& process, std::uint64_t number);
  void OnTermEnded(Process& process);
  void OnWorkMustStop(const Process& process);

  // What they send, and what becomes of it.
  void OnRequest(Process& process, const Record* record);
  void OnChange(std::size_t entry, const Knowledge& author_knew);
  void OnTold(Process& process, std::ptrdiff_t entry);
  void OnRolledBack(std::uint64_t highest_order);
  void OnForged() { losses_.OnHistoryLost(store_.history().size() + 1); }

  // What their work does: to the fenced register, which took it or not, and at once to another that asks for no number.
  void OnFencedWrite(std::size_t term, bool taken);
  void OnUnfencedWrite(const Process& process);

  void Violate(std::string_view oracle, std::string text);

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  // When the latest term began.
  [[nodiscard]] TrueTime last_start() const { return last_start_; }

 private:
  struct Overlap {
    Process* one;
    Process* other;
    TrueTime since;
    bool excused;
  };

  void OnOverlap(Process& one, Process& other);
  void CloseOverlaps();
  void CheckBudget(Process& process);

  World& world_;
  const Store& store_;
  const bool tolerant_;
  std::vector<Process*> alive_;
  Losses losses_;
  std::uint64_t order_to_pass_ = 0;  // the store went back from here
  std::uint64_t last_number_ = 0;
  std::size_t last_term_ = 0;
  int last_leader_ = -1;
  TrueTime last_start_{0};
  std::size_t newest_term_written_ = 0;
  std::vector<Overlap> overlaps_;
  std::vector<Violation> violations_;
  Tally tally_;
};

}  // namespace leaderelection::simulation

// The one thing all candidates share: a record behind compare-and-swap, and its whole history.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "leaderelection/resource_lock.h"
#include "simulation/world.h"

namespace leaderelection::simulation {

inline constexpr int kOutsider = -1;

// One change of the store. Entries are numbered by their place in the history, which goes on rising where the order of
// versions does not.
struct Entry {
  Stored stored;
  bool deleted = false;
  bool expired = false;       // deleted by the store itself, in time
  int author = kOutsider;     // the process
  std::size_t term = 0;       // the entry that began the term of this record's holder
  std::size_t last_word = 0;  // the last entry that this holder wrote itself
};

class Store {
 public:
  struct Nature {
    bool expires = false;      // forgets a held record by itself once its duration has passed
    double clock_rate = 1.0;   // of the clock it does that by
    bool skips_equal = false;  // as the API server does: a write that changes nothing keeps the version
  };
  // Called with the number of the new entry, once it is stored.
  using OnChange = std::function<void(std::size_t)>;

  Store(World& world, Nature nature, OnChange on_change);

  [[nodiscard]] Result<Stored> Get();
  [[nodiscard]] Result<Stored> Create(int author, const Record& record);
  [[nodiscard]] Result<Stored> Update(int author, const Record& record, std::uint64_t expected);

  // What outsiders do. Each is false, and changes nothing, where there is nothing to do it to.
  bool Relabel();
  bool EditDuration(std::chrono::milliseconds duration);
  bool Delete();
  bool ClearHolder();
  // Back to what was `entries` ago, orders included; nobody is told.
  bool RollBack(std::size_t entries);

  [[nodiscard]] bool present() const { return present_; }
  [[nodiscard]] std::uint64_t order() const { return order_; }
  [[nodiscard]] const std::vector<Entry>& history() const { return history_; }
  // What the server would say is left of the present record.
  [[nodiscard]] std::optional<std::chrono::milliseconds> ExpiresIn() const;
  // The entry by which this process wrote this order, if it did.
  [[nodiscard]] const Entry* Find(int author, std::uint64_t order) const;

 private:
  Stored Commit(int author, const Record& record);
  Stored Reply() const;
  [[nodiscard]] TrueTime EndOf(const Record& record) const;
  void Expire();
  void Remove(bool expired);
  const Entry& Last() const { return history_.back(); }

  World& world_;
  const Nature nature_;
  const OnChange on_change_;
  std::vector<Entry> history_;
  bool present_ = false;
  std::uint64_t order_ = 100;
  TrueTime expires_at_ = TrueTime::max();
};

}  // namespace leaderelection::simulation

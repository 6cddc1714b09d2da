// The way between each candidate and the store: requests, replies and watches, delayed, lost, doubled or falsified.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leaderelection/resource_lock.h"
#include "simulation/faults.h"
#include "simulation/oracles.h"
#include "simulation/store.h"
#include "simulation/world.h"

namespace leaderelection::simulation {

class Process;

// One candidate's cable. Times are those at which it works again.
struct Link {
  TrueTime requests_cut_until{0};
  TrueTime replies_cut_until{0};
  TrueTime forbidden_until{0};
  TrueTime asleep_until{0};  // its machine is suspended: what comes is lost
};

class Network {
 public:
  Network(World& world, Store& store, Faults& faults, Oracles& oracles, bool store_takes_any_version)
      : world_(world),
        store_(store),
        faults_(faults),
        oracles_(oracles),
        store_takes_any_version_(store_takes_any_version) {}

  // What one process sees of the store.
  [[nodiscard]] std::shared_ptr<ResourceLock> MakeLock(Process& process, bool watchable,
                                                       std::chrono::milliseconds watch_delay);

  // What was sent by now and has not arrived never does: a write that lands long after the storm belongs to it.
  void LoseWhatIsUnderWay();

  // The store has changed: tells the oracles and the watches.
  void OnStoreChange(std::size_t entry);

  // The process's watch breaks, and says so; or swallows all that comes for a while, and then breaks.
  void BreakWatch(const Process& process);
  void SilenceWatch(const Process& process, TrueTime until);
  [[nodiscard]] bool HasLiveWatch(const Process& process) const;

 private:
  friend class SimLock;
  friend class SimWatch;
  enum class Verb { kGet, kCreate, kUpdate };
  // A request on its way, or its answer on the way back.
  struct Exchange {
    Process* process = nullptr;
    Verb verb = Verb::kGet;
    Record record;
    std::uint64_t expected = 0;
    MonotonicTime deadline;
    Done<Stored> done;
    Knowledge knowledge;  // of the process, when it sent this
    std::optional<Result<Stored>> answer;
    std::ptrdiff_t told = -1;  // the entry that the answer shows
    int executions = 0;
    int answered_by = 1;   // which of them makes the answer
    int actions_left = 0;  // planned ones that refer to this
    bool lost = false;
  };
  struct Connection {
    Process* process = nullptr;
    std::function<void(WatchEvent)> tell;
    std::chrono::milliseconds delay{0};  // planted: every event takes this much longer
    std::uint32_t epoch = 0;             // counts the times it was made
    bool open = false;
    bool established = false;
    bool reorders = false;  // what an earlier epoch sent may still come
    TrueTime silent_until{0};
    TrueTime last_delivery{0};
  };
  struct Message {
    std::uint32_t connection = 0;
    std::uint32_t epoch = 0;
    WatchEvent::Kind kind = WatchEvent::Kind::kLive;
    std::size_t entry = 0;
  };

  void Send(Process& process, Verb verb, MonotonicTime deadline, const Record* record, std::uint64_t expected,
            Done<Stored> done);
  void Carry(std::uint32_t index, TrueTime delay, bool reply);
  void Arrive(std::uint32_t index);
  [[nodiscard]] Result<Stored> Execute(Exchange& exchange);
  void Deliver(std::uint32_t index);
  void Forget(std::uint32_t index);
  [[nodiscard]] TrueTime Latency();

  std::uint32_t Open(Process& process, std::function<void(WatchEvent)> tell, std::chrono::milliseconds delay);
  void Close(std::uint32_t connection);
  void Connect(std::uint32_t connection);
  void Break(std::uint32_t connection, TrueTime reconnect_at);
  void Tell(std::uint32_t connection, WatchEvent::Kind kind, std::size_t entry, TrueTime delay);
  void DeliverMessage(std::uint32_t index);
  [[nodiscard]] bool IsCut(const Connection& connection) const;

  World& world_;
  Store& store_;
  Faults& faults_;
  Oracles& oracles_;
  const bool store_takes_any_version_;  // planted
  Knowledge author_knew_;               // of the write that is being carried out
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  std::vector<std::uint32_t> free_exchanges_;
  std::vector<Connection> connections_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
};

}  // namespace leaderelection::simulation

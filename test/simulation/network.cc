#include "simulation/network.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "simulation/process.h"

namespace leaderelection::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SimWatch final : public Watch {
 public:
  SimWatch(Network& network, std::uint32_t connection) : network_(network), connection_(connection) {}
  ~SimWatch() override { network_.Close(connection_); }

 private:
  Network& network_;
  const std::uint32_t connection_;
};

class SimLock final : public ResourceLock {
 public:
  SimLock(Network& network, Process& process, bool watchable, milliseconds watch_delay)
      : network_(network), process_(process), watchable_(watchable), watch_delay_(watch_delay) {}

  void Get(MonotonicTime deadline, Done<Stored> done) override {
    network_.Send(process_, Network::Verb::kGet, deadline, nullptr, 0, std::move(done));
  }
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override {
    network_.Send(process_, Network::Verb::kCreate, deadline, &record, 0, std::move(done));
  }
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override {
    network_.Send(process_, Network::Verb::kUpdate, deadline, &record, expected.order, std::move(done));
  }
  std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) override {
    if (!watchable_) return nullptr;
    return std::make_unique<SimWatch>(network_, network_.Open(process_, std::move(on_event), watch_delay_));
  }
  std::string Describe() const override { return "simulated"; }

 private:
  Network& network_;
  Process& process_;
  const bool watchable_;
  const milliseconds watch_delay_;
};

std::shared_ptr<ResourceLock> Network::MakeLock(Process& process, bool watchable, milliseconds watch_delay) {
  return std::make_shared<SimLock>(*this, process, watchable, watch_delay);
}

TrueTime Network::Latency() {
  if (faults_.Strike(Fault::kDelay)) return world_.random.Scattered(milliseconds(50), seconds(12));
  return world_.random.Between(TrueTime(milliseconds(1)), TrueTime(milliseconds(10)));
}

void Network::Send(Process& process, Verb verb, MonotonicTime deadline, const Record* record, std::uint64_t expected,
                   Done<Stored> done) {
  oracles_.OnRequest(process, record);
  std::uint32_t index = 0;
  if (free_exchanges_.empty()) {
    index = static_cast<std::uint32_t>(exchanges_.size());
    exchanges_.push_back(std::make_unique<Exchange>());
  } else {
    index = free_exchanges_.back();
    free_exchanges_.pop_back();
  }
  Exchange& exchange = *exchanges_[index];
  exchange.process = &process;
  exchange.verb = verb;
  if (record != nullptr) exchange.record = *record;
  exchange.expected = expected;
  exchange.deadline = deadline;
  exchange.done = std::move(done);
  exchange.knowledge = process.knowledge;
  exchange.answer.reset();
  exchange.told = -1;
  exchange.executions = 0;
  exchange.answered_by = 1;
  exchange.actions_left = 0;
  exchange.lost = false;
  world_.journal.Note(world_.now(), process.name(), "asks", [&] {
    constexpr const char* kVerbs[] = {"get", "create", "update"};
    std::string text = kVerbs[static_cast<int>(verb)];
    if (record != nullptr) text += " '" + record->holder_identity + "'";
    if (verb == Verb::kUpdate) text += " over " + std::to_string(expected);
    return text;
  });

  // What is lost or hangs is never answered: whoever sent it has a deadline of his own.
  const bool cut = process.link().requests_cut_until > world_.now();
  if (cut || faults_.Strike(Fault::kRequestLost) || faults_.Strike(Fault::kHung)) {
    world_.journal.Note(world_.now(), process.name(), "request lost");
    return;
  }
  if (faults_.Strike(Fault::kDropped)) {
    const bool carried_out = world_.random.Chance(0.5);
    if (!carried_out) {
      ++exchange.actions_left;
      return Forget(index);
    }
    exchange.answer = Result<Stored>(ErrorCode::kUnknown, "dropped");
  }
  TrueTime delay = Latency();
  if (faults_.Strike(Fault::kLate)) delay = world_.random.Between(seconds(3), seconds(25));
  Carry(index, delay, false);
  if (faults_.Strike(Fault::kTwice)) {
    exchange.answered_by = world_.random.Chance(0.5) ? 1 : 2;
    Carry(index, delay + world_.random.Scattered(milliseconds(1), seconds(8)), false);
  }
}

void Network::Carry(std::uint32_t index, TrueTime delay, bool reply) {
  ++exchanges_[index]->actions_left;
  if (reply) {
    world_.After(delay, [this, index] { Deliver(index); });
  } else {
    world_.After(delay, [this, index] { Arrive(index); });
  }
}

void Network::Arrive(std::uint32_t index) {
  Exchange& exchange = *exchanges_[index];
  if (exchange.lost) {
    world_.journal.Note(world_.now(), exchange.process->name(), "request lost");
    return Forget(index);
  }
  Result<Stored> answer = Execute(exchange);
  world_.journal.Note(world_.now(), exchange.process->name(), "carried out", [&] {
    return answer.ok()
               ? "version " + std::to_string(answer->version.order) + " '" + answer->record.holder_identity + "'"
               : std::string(ToString(answer.error().code));
  });
  if (++exchange.executions == exchange.answered_by) {
    const bool cut = exchange.process->link().replies_cut_until > world_.now();
    if (cut || faults_.Strike(Fault::kReplyLost)) {
      world_.journal.Note(world_.now(), exchange.process->name(), "reply lost");
      ++exchange.actions_left;  // Nobody will answer, and nobody drops it either.
    } else {
      if (!exchange.answer) exchange.answer.emplace(std::move(answer));
      Carry(index, Latency(), true);
    }
  }
  Forget(index);
}

void Network::LoseWhatIsUnderWay() {
  for (const auto& exchange : exchanges_) exchange->lost = true;
}

Result<Stored> Network::Execute(Exchange& exchange) {
  const bool writes = exchange.verb != Verb::kGet;
  if (exchange.process->link().forbidden_until > world_.now()) return Result<Stored>(ErrorCode::kDenied, "403");
  if (faults_.Strike(Fault::kThrottled)) {
    const auto wish = world_.random.Between(milliseconds(100), seconds(5));
    return Error{ErrorCode::kThrottled, "429", std::chrono::ceil<milliseconds>(wish)};
  }
  if (faults_.Strike(Fault::kErrorBefore)) return Result<Stored>(ErrorCode::kUnknown, "503");
  if (writes && faults_.Strike(Fault::kConflict)) {
    return Result<Stored>(exchange.verb == Verb::kCreate ? ErrorCode::kAlreadyExists : ErrorCode::kConflict, "409");
  }
  if (exchange.verb == Verb::kUpdate && faults_.Strike(Fault::kStaleAck)) {
    return Stored{exchange.record, Version{exchange.expected, nullptr}, std::nullopt};
  }
  if (writes && faults_.Strike(Fault::kChangedWrite)) {
    if (world_.random.Chance(0.5))
      exchange.record.metadata["webhook"] = "was here";
    else
      exchange.record.lease_duration += seconds(1);
  }

  author_knew_ = exchange.knowledge;
  Result<Stored> result = [&] {
    switch (exchange.verb) {
      case Verb::kGet:
        return store_.Get();
      case Verb::kCreate:
        return store_.Create(exchange.process->id(), exchange.record);
      case Verb::kUpdate:
        break;
    }
    const std::uint64_t expected = store_takes_any_version_ ? store_.order() : exchange.expected;
    return store_.Update(exchange.process->id(), exchange.record, expected);
  }();
  author_knew_ = Knowledge();
  if (!result.ok()) return result;
  exchange.told = static_cast<std::ptrdiff_t>(store_.history().size()) - 1;
  if (faults_.Strike(Fault::kErrorAfter)) return Result<Stored>(ErrorCode::kUnknown, "500");
  if (writes && faults_.Strike(Fault::kChangedReply)) {
    Stored changed = *result;
    changed.record.transitions += 1;
    return changed;
  }
  return result;
}

void Network::Deliver(std::uint32_t index) {
  Exchange& exchange = *exchanges_[index];
  Process& process = *exchange.process;
  if (process.alive() && process.link().asleep_until <= world_.now()) {
    // What comes too late is not looked at, so it tells nothing.
    const bool in_time = process.clock().Now() < exchange.deadline && !process.holds_still();
    if (exchange.answer->ok() && in_time) oracles_.OnTold(process, exchange.told);
    world_.journal.Note(world_.now(), process.name(), "answered");
    std::move(exchange.done)(std::move(*exchange.answer));
  } else {
    ++exchange.actions_left;
  }
  Forget(index);
}

void Network::Forget(std::uint32_t index) {
  if (--exchanges_[index]->actions_left > 0) return;
  exchanges_[index]->done = Done<Stored>();
  free_exchanges_.push_back(index);
}

bool Network::IsCut(const Connection& connection) const {
  const Link& link = connection.process->link();
  return std::max({link.replies_cut_until, link.asleep_until, connection.silent_until}) > world_.now();
}

std::uint32_t Network::Open(Process& process, std::function<void(WatchEvent)> tell, milliseconds delay) {
  const auto connection = static_cast<std::uint32_t>(connections_.size());
  connections_.push_back({.process = &process, .tell = std::move(tell), .delay = delay, .open = true});
  world_.After(Latency(), [this, connection] { Connect(connection); });
  return connection;
}

void Network::Close(std::uint32_t connection) {
  connections_[connection].open = false;
  connections_[connection].established = false;
  connections_[connection].tell = nullptr;
}

void Network::Connect(std::uint32_t index) {
  Connection& connection = connections_[index];
  if (!connection.open || connection.established) return;
  const Link& link = connection.process->link();
  if (IsCut(connection) || std::max(link.requests_cut_until, link.forbidden_until) > world_.now()) {
    return world_.After(seconds(1), [this, index] { Connect(index); });
  }
  connection.established = true;
  connection.reorders = faults_.Strike(Fault::kWatchReordered);
  Tell(index, WatchEvent::Kind::kLive, 0, Latency());
}

void Network::Break(std::uint32_t index, TrueTime reconnect_at) {
  Connection& connection = connections_[index];
  if (!connection.open || !connection.established) return;
  connection.established = false;
  if (!connection.reorders) ++connection.epoch;
  Tell(index, WatchEvent::Kind::kLost, 0, TrueTime(0));
  if (connection.reorders) ++connection.epoch;
  connection.last_delivery = world_.now();
  world_.At(reconnect_at, [this, index] { Connect(index); });
}

void Network::BreakWatch(const Process& process) {
  for (std::uint32_t index = 0; index < connections_.size(); ++index) {
    if (connections_[index].process != &process) continue;
    Break(index, world_.now() + world_.random.Scattered(milliseconds(20), seconds(5)));
  }
}

void Network::SilenceWatch(const Process& process, TrueTime until) {
  for (std::uint32_t index = 0; index < connections_.size(); ++index) {
    Connection& connection = connections_[index];
    if (connection.process != &process || !connection.open) continue;
    connection.silent_until = std::max(connection.silent_until, until);
    world_.At(until, [this, index] { Break(index, world_.now() + milliseconds(50)); });
  }
}

bool Network::HasLiveWatch(const Process& process) const {
  return std::any_of(connections_.begin(), connections_.end(), [&](const Connection& connection) {
    return connection.process == &process && connection.established && !IsCut(connection);
  });
}

void Network::OnStoreChange(std::size_t entry) {
  oracles_.OnChange(entry, author_knew_);
  const bool deleted = store_.history()[entry].deleted;
  for (std::uint32_t index = 0; index < connections_.size(); ++index) {
    const Connection& connection = connections_[index];
    if (!connection.established || IsCut(connection)) continue;
    if (faults_.Strike(Fault::kWatchEventLost)) continue;
    const bool late = faults_.Strike(Fault::kWatchLate);
    const TrueTime delay = late ? world_.random.Scattered(milliseconds(50), seconds(20))
                                : world_.random.Between(TrueTime(milliseconds(1)), TrueTime(milliseconds(10)));
    Tell(index, deleted ? WatchEvent::Kind::kDeleted : WatchEvent::Kind::kChanged, entry, delay + connection.delay);
  }
}

// Events of one connection keep their order.
void Network::Tell(std::uint32_t index, WatchEvent::Kind kind, std::size_t entry, TrueTime delay) {
  Connection& connection = connections_[index];
  connection.last_delivery = std::max(connection.last_delivery, world_.now() + delay);
  if (kind == WatchEvent::Kind::kLost) connection.last_delivery = world_.now();
  std::uint32_t message = 0;
  if (free_messages_.empty()) {
    message = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    message = free_messages_.back();
    free_messages_.pop_back();
  }
  messages_[message] = {index, connection.epoch, kind, entry};
  world_.At(connection.last_delivery, [this, message] { DeliverMessage(message); });
}

void Network::DeliverMessage(std::uint32_t index) {
  const Message message = messages_[index];
  free_messages_.push_back(index);
  const Connection& connection = connections_[message.connection];
  const bool current = message.epoch == connection.epoch || connection.reorders;
  if (!connection.open || !current || (IsCut(connection) && message.kind != WatchEvent::Kind::kLost)) return;
  WatchEvent event{.kind = message.kind};
  if (message.kind == WatchEvent::Kind::kChanged || message.kind == WatchEvent::Kind::kDeleted) {
    event.stored = store_.history()[message.entry].stored;
    oracles_.OnTold(*connection.process, static_cast<std::ptrdiff_t>(message.entry));
  }
  world_.journal.Note(world_.now(), connection.process->name(), "watch", [&] {
    constexpr const char* kKinds[] = {"live", "changed", "deleted", "lost", "refused"};
    return std::string(kKinds[static_cast<int>(event.kind)]) + " " + std::to_string(event.stored.version.order) + " '" +
           event.stored.record.holder_identity + "'";
  });
  const auto tell = connection.tell;
  tell(std::move(event));
}

}  // namespace leaderelection::simulation

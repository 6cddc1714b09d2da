#include <condition_variable>
#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>

#include "commands.h"
#include "leader_text.h"
#include "leaderelection/stop_on_signals.h"
#include "locks/locks.h"
#include "read_once.h"

namespace leaderelection::command {

namespace {

using std::chrono::milliseconds;

bool IsHeld(const std::optional<Stored>& stored) { return stored && !stored->record.holder_identity.empty(); }

// By the wall clocks of two hosts, so it proves nothing: a reason to look twice.
bool LooksOld(const Record& record) {
  const auto age = std::chrono::system_clock::now() - record.renew_time;
  return age > record.lease_duration || age < -record.lease_duration;
}

// A holder that shows no sign of life for as long as its lease lasts has none.
std::optional<Stored> ReadSurely(ResourceLock& lock, milliseconds timeout) {
  std::optional<Stored> first = ReadOnce(lock, timeout);
  if (!IsHeld(first) || !LooksOld(first->record)) return first;
  std::mutex mutex;
  std::unique_lock guard(mutex);
  std::condition_variable_any never;
  const StopOnSignals stop({SIGINT, SIGTERM});
  never.wait_for(guard, stop.token(), first->record.lease_duration, [] { return false; });
  std::optional<Stored> second = ReadOnce(lock, timeout);
  if (IsHeld(second) && second->record == first->record) return std::nullopt;
  return second;
}

}  // namespace

int ShowStatus(const Values& values, std::ostream& out) {
  const std::shared_ptr<ResourceLock> lock = MakeLock(values);
  const std::optional<Stored> stored = ReadSurely(*lock, values.Duration("timeout"));
  const bool held = IsHeld(stored);
  const std::string asked = values.Text("identity");
  const int code = !held                                                      ? kNobodyCode
                   : asked.empty() || stored->record.holder_identity == asked ? kLeaderCode
                                                                              : kFollowerCode;
  if (values.Text("output") == "json") {
    nlohmann::ordered_json json = {{"lock", lock->Describe()}, {"leader", nullptr}};
    if (held) json["leader"] = ToJson(ToInfo(stored->record));
    out << Dump(json) << std::endl;
  } else if (held) {
    out << lock->Describe() << ": leader " << ToText(ToInfo(stored->record)) << std::endl;
  } else {
    out << lock->Describe() << ": nobody leads" << std::endl;
  }
  return code;
}

}  // namespace leaderelection::command

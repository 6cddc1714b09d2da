#include <csignal>
#include <nlohmann/json.hpp>
#include <ostream>

#include "commands.h"
#include "leader_text.h"
#include "leaderelection/leader_elector.h"
#include "locks/locks.h"
#include "logging.h"
#include "read_once.h"
#include "wall_time.h"

namespace leaderelection::command {

namespace {

std::string Now() {
  return FormatTime(std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now()));
}

std::string AsText(const LeaderChange& change) {
  if (change.current) return Now() + " leader " + ToText(*change.current);
  return Now() + " nobody leads" + (change.previous ? ", " + Printable(change.previous->identity) + " did" : "");
}

std::string AsJson(const LeaderChange& change) {
  nlohmann::ordered_json json = {{"time", Now()}, {"leader", nullptr}, {"previous", nullptr}};
  if (change.current) json["leader"] = ToJson(*change.current);
  if (change.previous) json["previous"] = ToJson(*change.previous);
  return Dump(json);
}

}  // namespace

int Observe(const Values& values, std::ostream& out, std::ostream& err) {
  const bool json = values.Text("output") == "json";
  const StopOnSignals stop({SIGINT, SIGTERM});
  const LogSink log = MakeLog(values, err);
  const std::shared_ptr<ResourceLock> lock = MakeLock(values, log);
  const std::optional<Stored> first = ReadOnce(*lock, values.Duration("timeout"));
  const auto print = [&](const LeaderChange& change) { out << (json ? AsJson(change) : AsText(change)) << std::endl; };
  if (!first || first->record.holder_identity.empty()) print({});
  LeaderElectionConfig config;
  config.lock = lock;
  config.observe_only = true;
  config.callbacks.on_leader_changed = print;
  config.log = [log](const LogEvent& event) {
    // What is printed need not be logged.
    if (event.level >= LogLevel::kWarning || event.level == LogLevel::kDebug) log(event);
  };
  LeaderElector(std::move(config)).Run(stop);
  return 0;
}

}  // namespace leaderelection::command

#include "round.h"

#include <algorithm>

#include "fence.h"

namespace example_operator {

namespace {

using namespace std::chrono_literals;
using leaderelection::ErrorCode;
using leaderelection::LogLevel;
using leaderelection::Status;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kWatchDuration = 300s;
constexpr milliseconds kWriteTimeout = 10s;

}  // namespace

Round::Round(ConfigMaps& maps, const leaderelection::Term& term, std::chrono::seconds retry_after,
             const leaderelection::LogSink& log)
    : maps_(maps), term_(term), retry_after_(retry_after), log_(log) {}

Status Round::Run() {
  const std::stop_token stop = term_.stop_token();
  const auto list = maps_.List(stop);
  if (stop.stop_requested()) return std::monostate();
  if (!list.ok()) return list.error();
  until_ = steady_clock::now() + kWatchDuration;
  for (const ConfigMap& map : list->items) Reconcile(map);
  ConfigMapWatch watch = maps_.Watch(list->version, kWatchDuration);
  while (!stop.stop_requested()) {
    const auto changed = watch.Next(until_, stop);
    if (!changed.ok()) return changed.error();
    if (!changed.value()) break;
    Reconcile(**changed);
  }
  return stop.stop_requested() ? Status(std::monostate()) : outcome_;
}

void Round::Reconcile(const ConfigMap& map) {
  const std::string checksum = Checksum(map);
  switch (Judge(map, checksum, term_.fencing_token())) {
    case Verdict::kUpToDate:
      return;
    case Verdict::kNewerLeader:
      return Warn("a later leader has been here: left alone", map);
    case Verdict::kUnreadable:
      return Warn("the fencing token is no number: left alone until it is removed", map);
    case Verdict::kWrite:
      break;
  }
  const Status written = Write(map, checksum);
  if (written.ok()) return;
  outcome_ = leaderelection::Error{written.error().code, map.name + ": " + written.error().message, std::nullopt};
  until_ = std::min(until_, steady_clock::now() + retry_after_);
}

Status Round::Write(const ConfigMap& map, const std::string& checksum) {
  // The stop token is requested a moment after the term is over; the clock tells at once.
  if (!term_.IsValid()) return std::monostate();
  const auto left = std::chrono::duration_cast<milliseconds>(term_.TimeLeft());
  const std::string number = std::to_string(term_.fencing_token());
  const Status written = maps_.Annotate(map, {{kChecksumKey, checksum}, {kNumberKey, number}},
                                        std::min(left, kWriteTimeout), term_.stop_token());
  if (written.ok()) {
    log_(
        {LogLevel::kInfo, "reconciled", {{"config_map", map.name}, {"fencing_token", number}, {"checksum", checksum}}});
    return written;
  }
  // Somebody was quicker. Of what he has made of it, the watch tells.
  const ErrorCode code = written.error().code;
  if (code == ErrorCode::kConflict || code == ErrorCode::kNotFound) return std::monostate();
  return term_.stop_token().stop_requested() ? Status(std::monostate()) : written;
}

void Round::Warn(const char* message, const ConfigMap& map) const {
  log_({LogLevel::kWarning,
        message,
        {{"config_map", map.name},
         {"found", map.annotations.at(kNumberKey)},
         {"fencing_token", std::to_string(term_.fencing_token())}}});
}

}  // namespace example_operator

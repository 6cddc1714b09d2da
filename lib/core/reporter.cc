#include "core/reporter.h"

#include <utility>

namespace leaderelection {

namespace {

std::string_view Name(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
  }
  return "update";
}

std::string_view Describe(EndReason reason) {
  switch (reason) {
    case EndReason::kReleased:
      return "released";
    case EndReason::kLeft:
      return "left to expire";
    case EndReason::kDrainTimeout:
      return "the work did not return in time; left to expire";
    case EndReason::kExpired:
      return "not renewed in time";
    case EndReason::kRival:
      return "another holder was seen";
    case EndReason::kRecordGone:
      return "the record is gone";
    case EndReason::kWentBack:
      return "the store went back";
  }
  return "unknown";
}

}  // namespace

Reporter::Reporter(std::string name, std::string identity, LogSink log, std::shared_ptr<Metrics> metrics)
    : name_(std::move(name)),
      identity_(std::move(identity)),
      log_(std::move(log)),
      metrics_(metrics ? std::move(metrics) : std::make_shared<Metrics>()) {
  metrics_->SetLeader(name_, false);
}

void Reporter::OnAnnouncement(const Announcement& announcement) {
  std::visit([this](const auto& news) { On(news); }, announcement);
}

void Reporter::Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const noexcept {
  if (!log_) return;
  try {
    LogEvent event{level, message, {{"lock", name_}, {"identity", identity_}}};
    event.fields.insert(event.fields.end(), fields.begin(), fields.end());
    log_(event);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the log is where it would be told
  }
}

void Reporter::OnLeaderChange(const LeaderChange& change) {
  if (change.current) {
    metrics_->CountTransition(name_);
    Log(LogLevel::kInfo, "new leader", {{"leader", change.current->identity}});
  } else {
    Log(LogLevel::kInfo, "nobody leads", {{"previous", change.previous ? change.previous->identity : ""}});
  }
}

void Reporter::On(const announce::TermStarted& started) {
  metrics_->SetLeader(name_, true);
  metrics_->SetExpiry(name_, started.valid_until);
  Log(LogLevel::kInfo, "became leader", {{"fencing_token", std::to_string(started.number)}});
}

void Reporter::On(const announce::WorkMustStop&) { Log(LogLevel::kInfo, "asked the work to stop"); }

void Reporter::On(const announce::TermEnded& ended) {
  metrics_->SetLeader(name_, false);
  const bool clean = ended.reason == EndReason::kReleased || ended.reason == EndReason::kLeft;
  Log(clean ? LogLevel::kInfo : LogLevel::kWarning, "stopped leading",
      {{"reason", std::string(Describe(ended.reason))}});
}

void Reporter::On(const announce::Overrun&) {
  Log(LogLevel::kError, "the work of a term that is over still runs, and another candidate may lead now");
}

void Reporter::On(const announce::Renewed& renewed) {
  metrics_->CountRenewal(name_, renewed.latency);
  metrics_->SetExpiry(name_, renewed.valid_until);
}

void Reporter::On(const announce::SlowPath&) { metrics_->CountSlowPath(name_); }

// What another candidate did first is the course of an election, not a failure of it.
void Reporter::On(const announce::RequestFailed& failed) {
  const Error& error = failed.error;
  metrics_->CountFailure(name_, error.code);
  const bool usual = error.code == ErrorCode::kConflict || error.code == ErrorCode::kAlreadyExists ||
                     error.code == ErrorCode::kNotFound;
  const bool repeated = std::exchange(last_failure_, usual ? last_failure_ : error.message) == error.message;
  Log(usual || repeated ? LogLevel::kDebug : LogLevel::kWarning, "request failed",
      {{"verb", std::string(Name(failed.verb))},
       {"code", std::string(ToString(error.code))},
       {"error", error.message}});
}

void Reporter::On(const announce::Answered&) {
  if (!std::exchange(last_failure_, "").empty()) Log(LogLevel::kInfo, "requests succeed again");
}

void Reporter::On(const announce::NamesakeSeen&) {
  Log(LogLevel::kError, "another process stands under this identity; give each its own");
}

}  // namespace leaderelection

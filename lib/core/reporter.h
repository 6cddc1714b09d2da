// Tells log and metrics what an election announces.

#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/announcement.h"
#include "leaderelection/leader_info.h"
#include "leaderelection/log.h"
#include "leaderelection/metrics.h"

namespace leaderelection {

// Log and LogFailure may be called from any thread, the rest on the executor's.
class Reporter {
 public:
  Reporter(std::string name, std::string identity, LogSink log, std::shared_ptr<Metrics> metrics);

  void OnAnnouncement(const Announcement& announcement);
  void OnLeaderChange(const LeaderChange& change);

  void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) const noexcept;

 private:
  void On(const announce::TermStarted& started);
  void On(const announce::WorkMustStop& must_stop);
  void On(const announce::TermEnded& ended);
  void On(const announce::Overrun& overrun);
  void On(const announce::Renewed& renewed);
  void On(const announce::SlowPath& slow);
  void On(const announce::RequestFailed& failed);
  void On(const announce::Answered& answered);
  void On(const announce::NamesakeSeen& namesake);
  // What is told by others, or concerns nobody outside.
  void On(const announce::AttemptOver&) {}
  void On(const announce::Idle&) {}
  void On(const announce::RecordChanged&) {}

  const std::string name_;
  const std::string identity_;
  const LogSink log_;
  const std::shared_ptr<Metrics> metrics_;  // never null
  std::string last_failure_;                // a failure that goes on is told once
};

}  // namespace leaderelection

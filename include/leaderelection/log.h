// What an elector has to say, as an event with fields; the caller decides where it goes.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leaderelection/export.h"

namespace leaderelection {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

LEADERELECTION_EXPORT std::string_view ToString(LogLevel level);

using LogField = std::pair<std::string_view, std::string>;

struct LogEvent {
  LogLevel level = LogLevel::kInfo;
  std::string_view message;      // constant for each kind of event: "became leader"
  std::vector<LogField> fields;  // lock, identity, fencing_token, error, ...
};

// Called from the elector's threads, several of them at a time. It must not block for long: what it takes is taken from
// the time to renew (never from safety: a term ends by the clock). An exception it throws is ignored.
using LogSink = std::function<void(const LogEvent&)>;

// level=info msg="became leader" lock=default/demo identity=a fencing_token=7
LEADERELECTION_EXPORT std::string ToLogfmt(const LogEvent& event);

}  // namespace leaderelection

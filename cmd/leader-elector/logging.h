// The log, by spdlog: lines of logfmt or of JSON.

#pragma once

#include <iosfwd>

#include "leaderelection/log.h"
#include "options/values.h"

namespace leaderelection::command {

// As --log-format and --log-level say. The stream must outlive the sink.
[[nodiscard]] LogSink MakeLog(const Values& values, std::ostream& stream);

}  // namespace leaderelection::command

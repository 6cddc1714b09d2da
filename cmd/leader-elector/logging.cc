#include "logging.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "wall_time.h"

namespace leaderelection::command {

namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string Now() {
  return FormatTime(std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now()));
}

std::string ToJson(const LogEvent& event) {
  nlohmann::ordered_json json = {{"time", Now()}, {"level", ToString(event.level)}, {"msg", event.message}};
  for (const auto& [key, value] : event.fields) json[std::string(key)] = value;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

LogSink MakeLog(const Values& values, std::ostream& stream) {
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(stream, true);
  auto logger = std::make_shared<spdlog::logger>("leader-elector", std::move(sink));
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::from_str(values.Text("log-level")));
  const bool json = values.Text("log-format") == "json";
  return [logger, json](const LogEvent& event) {
    const spdlog::level::level_enum level = ToSpdlog(event.level);
    if (!logger->should_log(level)) return;
    logger->log(level, json ? ToJson(event) : Now() + " " + ToLogfmt(event));
  };
}

}  // namespace leaderelection::command

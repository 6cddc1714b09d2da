// Who leads, for people and for programs.

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "leaderelection/leader_info.h"

namespace leaderelection::command {

[[nodiscard]] LeaderInfo ToInfo(const Record& record);

// "a, since 2025-11-18T08:46:00.123Z, transitions 3, zone=x"
[[nodiscard]] std::string ToText(const LeaderInfo& leader);
[[nodiscard]] nlohmann::ordered_json ToJson(const LeaderInfo& leader);

// One line, whatever bytes the lock holds.
[[nodiscard]] std::string Dump(const nlohmann::ordered_json& json);
[[nodiscard]] std::string Printable(std::string text);

}  // namespace leaderelection::command

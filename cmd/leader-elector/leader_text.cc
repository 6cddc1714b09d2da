#include "leader_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "wall_time.h"

namespace leaderelection::command {

using nlohmann::ordered_json;

std::string Printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; }, '?');
  return text;
}

LeaderInfo ToInfo(const Record& record) {
  return {.identity = record.holder_identity,
          .acquired_at = record.acquire_time,
          .renewed_at = record.renew_time,
          .lease_duration = record.lease_duration,
          .time_to_expiry = record.lease_duration,
          .transitions = record.transitions,
          .metadata = record.metadata};
}

std::string ToText(const LeaderInfo& leader) {
  std::string text = leader.identity + ", since " + FormatTime(leader.acquired_at) + ", transitions " +
                     std::to_string(leader.transitions);
  for (const auto& [key, value] : leader.metadata) text.append(", ").append(key).append("=").append(value);
  return Printable(std::move(text));
}

ordered_json ToJson(const LeaderInfo& leader) {
  return {{"identity", leader.identity},
          {"acquiredAt", FormatTime(leader.acquired_at)},
          {"renewedAt", FormatTime(leader.renewed_at)},
          {"leaseDurationMilliseconds", leader.lease_duration.count()},
          {"transitions", leader.transitions},
          {"metadata", leader.metadata}};
}

std::string Dump(const ordered_json& json) { return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

}  // namespace leaderelection::command

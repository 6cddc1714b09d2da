#include "consul/session_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace leaderelection::consul {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds kShortestTtl = 10s;
constexpr milliseconds kLongestTtl = 24h;
constexpr milliseconds kLongestLockDelay = 60s;

std::string InMilliseconds(milliseconds time) { return std::to_string(time.count()) + "ms"; }

nlohmann::json Checks(const std::vector<std::string>& ids) {
  nlohmann::json checks = nlohmann::json::array();
  for (const std::string& id : ids) checks.push_back({{"ID", id}});
  return checks;
}

}  // namespace

std::string WrongSettings(const ConsulSession& session) {
  std::string wrong;
  if (session.ttl && (*session.ttl < kShortestTtl || *session.ttl > kLongestTtl)) {
    wrong += "; session.ttl is " + InMilliseconds(*session.ttl) + ", but Consul takes 10 seconds to 24 hours only";
  }
  if (session.lock_delay && (*session.lock_delay < 0ms || *session.lock_delay > kLongestLockDelay)) {
    wrong +=
        "; session.lock_delay is " + InMilliseconds(*session.lock_delay) + ", but Consul takes 0 to 60 seconds only";
  }
  try {
    (void)SessionToJson(session, kShortestTtl);
  } catch (const nlohmann::json::exception&) {
    wrong += "; session.name or a check is not UTF-8";
  }
  return wrong;
}

milliseconds TtlFor(const ConsulSession& session, milliseconds lease_duration) {
  return session.ttl.value_or(std::clamp(lease_duration, kShortestTtl, kLongestTtl));
}

std::string SessionToJson(const ConsulSession& session, milliseconds lease_duration) {
  const milliseconds delay =
      session.lock_delay.value_or(std::clamp<milliseconds>(lease_duration, 0ms, kLongestLockDelay));
  const nlohmann::json body{
      {"Name", session.name},
      {"TTL", InMilliseconds(TtlFor(session, lease_duration))},
      {"LockDelay", InMilliseconds(delay)},
      {"Behavior", session.behavior == ConsulSession::Behavior::kDelete ? "delete" : "release"},
      // Named even if there are none: without the field Consul ties the session to its node's health.
      {"NodeChecks", session.node_checks},
      {"ServiceChecks", Checks(session.service_checks)},
  };
  return body.dump();
}

}  // namespace leaderelection::consul

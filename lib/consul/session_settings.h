// What a session is made of, checked and as Consul wants it.

#pragma once

#include <chrono>
#include <string>

#include "leaderelection/consul_lock.h"

namespace leaderelection::consul {

// What is wrong, every setting named: "; the TTL of 5000 ms is not ...". Empty: nothing.
[[nodiscard]] std::string WrongSettings(const ConsulSession& session);

// What a session without a TTL of its own gets for this lease.
[[nodiscard]] std::chrono::milliseconds TtlFor(const ConsulSession& session, std::chrono::milliseconds lease_duration);

// The body of /v1/session/create. The name is UTF-8, as WrongSettings has seen to.
[[nodiscard]] std::string SessionToJson(const ConsulSession& session, std::chrono::milliseconds lease_duration);

}  // namespace leaderelection::consul

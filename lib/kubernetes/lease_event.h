// The Events that client-go writes about a Lease.

#pragma once

#include <string>

#include "kubernetes/bounded_json.h"
#include "kubernetes/lease_codec.h"
#include "leaderelection/clock.h"
#include "leaderelection/error.h"

namespace leaderelection {

// The body of a POST: type Normal, reason LeaderElection, message "<identity> <what>", about this very object.
// `distinction` makes its name differ from those of others about the same Lease.
[[nodiscard]] Result<std::string> EncodeLeaseEvent(const LeaseName& name, const Json& lease,
                                                   const std::string& identity, const std::string& what, WallTime now,
                                                   std::uint64_t distinction);

}  // namespace leaderelection

// The lock that the flags ask for.

#pragma once

#include <memory>

#include "candidate/options.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection::candidate {

// Throws std::invalid_argument if there is none, or if this build has no such backend.
[[nodiscard]] std::shared_ptr<ResourceLock> MakeLock(const Options& options);

}  // namespace leaderelection::candidate

// One answer of a lock, waited for.

#pragma once

#include <chrono>
#include <optional>

#include "leaderelection/resource_lock.h"

namespace leaderelection::command {

// Nothing if there is no record; throws UsageError saying what is wrong if the lock does not answer in time, or badly.
[[nodiscard]] std::optional<Stored> ReadOnce(ResourceLock& lock, std::chrono::milliseconds timeout);

}  // namespace leaderelection::command

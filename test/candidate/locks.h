// The locks that the flags ask for.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "candidate/options.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection::candidate {

// A lock by its name; all that one maker makes share a client. A file's name is put after its path.
using LockMaker = std::function<std::shared_ptr<ResourceLock>(const std::string& name)>;

// Throws std::invalid_argument if there is none, or if this build has no such backend.
[[nodiscard]] LockMaker MakeLocks(const Options& options);

}  // namespace leaderelection::candidate

// The options of each backend as a lock.

#pragma once

#include <memory>

#include "leaderelection/log.h"
#include "leaderelection/resource_lock.h"
#include "options/values.h"

namespace leaderelection::command {

// The log hears what is not an error of one request. Throws UsageError saying which option is missing or wrong, or that
// this program was built without the backend.
[[nodiscard]] std::shared_ptr<ResourceLock> MakeLock(const Values& values, const LogSink& log = {});

// The backends, each in a file of its own that is compiled if the backend is.
[[nodiscard]] std::shared_ptr<ResourceLock> MakeFileLock(const Values& values, const LogSink& log);
[[nodiscard]] std::shared_ptr<ResourceLock> MakeLeaseLock(const Values& values, const LogSink& log);
[[nodiscard]] std::shared_ptr<ResourceLock> MakeRedisLock(const Values& values, const LogSink& log);
[[nodiscard]] std::shared_ptr<ResourceLock> MakeConsulLock(const Values& values, const LogSink& log);

// The lock's name, which Lease, Redis and Consul must have.
[[nodiscard]] std::string RequiredName(const Values& values);

}  // namespace leaderelection::command

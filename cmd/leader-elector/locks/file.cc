#include "leaderelection/file_lock.h"
#include "locks/locks.h"
#include "usage_error.h"

namespace leaderelection::command {

std::shared_ptr<ResourceLock> MakeFileLock(const Values& values, const LogSink& /*log*/) {
  const std::string path = values.Text("lock-file");
  if (path.empty()) throw UsageError("--lock-file is missing: --lock=file needs the path that the candidates share");
  return std::make_shared<FileLock>(path);
}

}  // namespace leaderelection::command

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "leaderelection/file_lock.h"
#include "locks/locks.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

// A candidate would log it, and try for ever.
void CheckFolder(const Values& values) {
  const std::filesystem::path folder = std::filesystem::absolute(values.Text("lock-file")).parent_path();
  if (::access((folder / ".").c_str(), X_OK) == 0) return;
  throw UsageError(values.Source("lock-file") + ": cannot use the folder " + folder.string() + ": " +
                   std::generic_category().message(errno) + "; create it, or name a file in another");
}

}  // namespace

std::shared_ptr<ResourceLock> MakeFileLock(const Values& values, const LogSink& /*log*/) {
  const std::string path = values.Text("lock-file");
  if (path.empty()) throw UsageError("--lock-file is missing: --lock=file needs the path that the candidates share");
  auto lock = std::make_shared<FileLock>(path);
  CheckFolder(values);
  return lock;
}

}  // namespace leaderelection::command

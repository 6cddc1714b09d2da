#include "file/replace_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <variant>

#include "file/system_error.h"

namespace leaderelection {
namespace {

constexpr std::monostate kDone;

Error AsUnknown(Error error) {
  error.code = ErrorCode::kUnknown;
  return error;
}

bool WriteAll(const Descriptor& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.number(), content.data(), content.size());
    if (written >= 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool Remove(const Folder& folder, const std::string& name) {
  return ::unlinkat(folder.descriptor(), name.c_str(), 0) == 0 || errno == ENOENT;
}

// Without the sync a loss of power could leave the new name with nothing behind it.
Status WriteDraft(const Folder& folder, const std::string& draft, std::string_view content) {
  if (!Remove(folder, draft)) return SystemError(errno, "remove", folder.path() / draft);
  const Descriptor file = folder.OpenFile(draft, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return SystemError(errno, "create", folder.path() / draft);
  if (!WriteAll(file, content) || ::fdatasync(file.number()) != 0) {
    return AsUnknown(SystemError(errno, "write", folder.path() / draft));
  }
  return kDone;
}

Status PutInPlace(const Folder& folder, const std::string& name, const std::string& draft) {
  if (::renameat(folder.descriptor(), draft.c_str(), folder.descriptor(), name.c_str()) == 0) return kDone;
  Error error = SystemError(errno, "replace", folder.path() / name);
  return error.code == ErrorCode::kDenied ? error : AsUnknown(std::move(error));
}

}  // namespace

Status ReplaceFile(const Folder& folder, const std::string& name, const std::string& draft, std::string_view content,
                   const std::function<Status()>& may_replace) {
  Status replaced = WriteDraft(folder, draft, content);
  if (replaced.ok()) replaced = may_replace();
  if (replaced.ok()) replaced = PutInPlace(folder, name, draft);
  if (!replaced.ok()) {
    Remove(folder, draft);
    return replaced;
  }
  if (::fsync(folder.descriptor()) != 0) return AsUnknown(SystemError(errno, "sync", folder.path()));
  return kDone;
}

}  // namespace leaderelection

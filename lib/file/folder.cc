#include "file/folder.h"

#include <fcntl.h>

#include <cerrno>

#include "file/system_error.h"

namespace leaderelection {
namespace {

constexpr mode_t kReadableByAll = 0644;

}  // namespace

Result<Folder> Folder::Open(const std::filesystem::path& path, const FileSystemTypeFunction& type_of) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor) return SystemError(errno, "open the folder", path);
  const auto type = type_of(descriptor.number());
  if (!type) return SystemError(errno, "tell the file system of", path);
  if (const auto shared = SharedFileSystem(*type)) {
    return {ErrorCode::kInvalid, path.string() + " is on " + std::string(*shared) +
                                     ", a file system that other hosts may share: candidates could miss each other"};
  }
  return Folder(path, std::move(descriptor));
}

Descriptor Folder::OpenFile(const std::string& name, int flags) const {
  constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  return Descriptor(::openat(descriptor_.number(), name.c_str(), flags | kAlways, kReadableByAll));
}

}  // namespace leaderelection

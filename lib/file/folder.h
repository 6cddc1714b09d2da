// The folder that the files of an election are in.

#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "file/descriptor.h"
#include "file/file_system.h"
#include "leaderelection/error.h"

namespace leaderelection {

// An open folder: all steps of one request happen in the same one, even if it is moved meanwhile.
class Folder {
 public:
  // kInvalid if there is no such folder, or if other hosts may share its file system.
  static Result<Folder> Open(const std::filesystem::path& path, const FileSystemTypeFunction& type_of);

  // A file in it, for flags as open() has them; negative on failure. It is never inherited by other programs, never
  // reached through a symbolic link and never waited for, and a new one may be read by all whom the umask lets.
  [[nodiscard]] Descriptor OpenFile(const std::string& name, int flags) const;

  [[nodiscard]] int descriptor() const { return descriptor_.number(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  Folder(std::filesystem::path path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace leaderelection

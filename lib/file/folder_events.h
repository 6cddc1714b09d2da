// What the kernel tells of a folder.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "file/descriptor.h"
#include "file/interruption.h"

namespace leaderelection {

// An inotify watch of one folder for one file name.
class FolderEvents {
 public:
  struct News {
    bool file = false;         // something happened to the file, or may have: the queue overflowed
    bool folder_gone = false;  // it was moved, deleted or unmounted, and there will be no more news
  };

  // False, with errno set, if the kernel refuses.
  [[nodiscard]] bool Open(const std::filesystem::path& folder);

  // Waits for events and gathers those that one look finds: other programs may fill the folder faster than anyone can
  // look. Nothing if interrupted.
  [[nodiscard]] std::optional<News> Wait(const std::string& file_name, const Interruption& interruption) const;

 private:
  Descriptor inotify_;
};

}  // namespace leaderelection

#include "file/folder_events.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace leaderelection {
namespace {

// A writer moves the record to its place; people write to it, move it away or delete it.
constexpr std::uint32_t kFileEvents = IN_MOVED_TO | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE;
constexpr std::uint32_t kFolderGone = IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT | IN_IGNORED;

FolderEvents::News Gather(std::span<const std::byte> buffer, const std::string& file_name) {
  FolderEvents::News news;
  while (!buffer.empty()) {
    inotify_event event{};
    std::memcpy(&event, buffer.data(), sizeof event);
    const char* name = reinterpret_cast<const char*>(buffer.data()) + sizeof event;
    if (event.mask & IN_Q_OVERFLOW) news.file = true;
    if (event.mask & kFolderGone) news.folder_gone = true;
    if (event.mask & kFileEvents && event.len > 0 && file_name == name) news.file = true;
    buffer = buffer.subspan(sizeof event + event.len);
  }
  return news;
}

}  // namespace

bool FolderEvents::Open(const std::filesystem::path& folder) {
  inotify_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  return inotify_ &&
         ::inotify_add_watch(inotify_.number(), folder.c_str(), kFileEvents | kFolderGone | IN_ONLYDIR) >= 0;
}

std::optional<FolderEvents::News> FolderEvents::Wait(const std::string& file_name,
                                                     const Interruption& interruption) const {
  if (interruption.WaitForReadable(inotify_)) return std::nullopt;
  std::array<std::byte, 16'384> buffer;  // room for hundreds of events, at the very least for one
  const ssize_t size = ::read(inotify_.number(), buffer.data(), buffer.size());
  if (size <= 0) return News{};
  return Gather({buffer.data(), static_cast<std::size_t>(size)}, file_name);
}

}  // namespace leaderelection

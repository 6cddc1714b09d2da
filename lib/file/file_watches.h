// Tells of changes of the record, as the kernel tells of its folder.

#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/watchers.h"
#include "file/folder_events.h"
#include "file/interruption.h"
#include "file/record_file.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// One thread and one inotify instance serve all watches of a file, from the first watch on; the kernel lets a user have
// 128 instances. A watch may be destroyed in its own callback, and may outlive this, to hear nothing more.
class FileWatches {
 public:
  explicit FileWatches(std::shared_ptr<RecordFile> file) : file_(std::move(file)) {}
  // Waits for the running callback; terminates with a message if it is inside it.
  ~FileWatches();

  // Throws std::system_error if there is no thread to be had.
  [[nodiscard]] std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event);

 private:
  struct Listener {
    std::weak_ptr<Mailbox> mailbox;           // owned by his Watch
    std::optional<WatchEvent::Kind> state{};  // whether he was last told kLive or kLost
  };

  void Run();
  // Takes in newcomers and forgets who has gone; false once it is time to stop.
  bool Admit();
  bool WaitForListeners();
  // Returns what broke the watch; nothing if nobody listens any more.
  std::optional<Error> Follow(const FolderEvents& events);
  std::optional<Error> TellRecord();
  void TellIfNew(const WatchEvent& event);
  void TellState(WatchEvent::Kind state, const Error& error);

  const std::shared_ptr<RecordFile> file_;
  Interruption wake_;

  std::mutex mutex_;  // guards the next three
  std::vector<std::weak_ptr<Mailbox>> newcomers_;
  bool stopping_ = false;
  std::thread thread_;

  std::vector<Listener> listeners_;  // the thread's own, as is the last
  WatchEvent last_told_;
};

}  // namespace leaderelection

#include "file/file_watch.h"

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "core/service_thread.h"
#include "file/folder_events.h"
#include "file/interruption.h"
#include "file/system_error.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

// A folder that went away is looked for this often.
constexpr auto kRetry = 200ms;

bool SameNews(const WatchEvent& a, const WatchEvent& b) {
  return a.kind == b.kind && a.stored.version.order == b.stored.version.order && a.stored.record == b.stored.record;
}

}  // namespace

class FileWatch::Loop {
 public:
  Loop(std::shared_ptr<RecordFile> file, std::function<void(WatchEvent)> on_event)
      : file_(std::move(file)), on_event_(std::move(on_event)) {}

  void Stop() noexcept { stopped_.Raise(); }

  void Run() {
    const auto folder = file_->path().parent_path();
    bool lost = false;
    do {
      FolderEvents events;
      std::optional<Error> broken;
      if (events.Open(folder)) {
        lost = false;
        broken = Follow(events);
        if (!broken) return;
      } else {
        const int number = errno;
        broken = SystemError(number, "watch", folder);
        if (number != ENOENT && number != ENOTDIR) return Tell({.kind = WatchEvent::Kind::kRefused, .error = *broken});
      }
      if (!std::exchange(lost, true)) Tell({.kind = WatchEvent::Kind::kLost, .error = *broken});
    } while (!stopped_.WaitFor(kRetry));
  }

 private:
  // Returns what broke the watch; nothing if it was stopped.
  std::optional<Error> Follow(const FolderEvents& events) {
    Tell({.kind = WatchEvent::Kind::kLive});
    while (const auto news = events.Wait(file_->path().filename().string(), stopped_)) {
      if (news->folder_gone) return SystemError(ENOENT, "watch", file_->path().parent_path());
      if (!news->file) continue;
      if (auto unreadable = TellRecord()) return unreadable;
    }
    return std::nullopt;
  }

  // What is neither a record nor its absence cannot be told. It breaks the watch instead: the kLive that follows has
  // the elector read, and find out.
  std::optional<Error> TellRecord() {
    const std::uint64_t seen_before = file_->highest_seen();
    const auto now = file_->Read();
    if (now.ok()) {
      TellIfNew({.kind = WatchEvent::Kind::kChanged, .stored = *now});
    } else if (now.error().code == ErrorCode::kNotFound) {
      TellIfNew({.kind = WatchEvent::Kind::kDeleted, .stored = {.version = {.order = seen_before + 1}}});
    } else {
      return now.error();
    }
    return std::nullopt;
  }

  // The kernel may tell of two writes when the first look has already found the second.
  void TellIfNew(WatchEvent event) {
    if (!SameNews(event, last_told_)) Tell(std::move(event));
  }

  void Tell(WatchEvent event) {
    if (stopped_.WaitFor(0s)) return;
    last_told_ = event;
    on_event_(std::move(event));
  }

  const std::shared_ptr<RecordFile> file_;
  const std::function<void(WatchEvent)> on_event_;
  Interruption stopped_;
  WatchEvent last_told_;
};

FileWatch::FileWatch(std::shared_ptr<RecordFile> file, std::function<void(WatchEvent)> on_event)
    : loop_(std::make_shared<Loop>(std::move(file), std::move(on_event))),
      thread_(StartServiceThread("le-file-watch", [loop = loop_] { loop->Run(); })) {}

FileWatch::~FileWatch() {
  loop_->Stop();
  if (thread_.get_id() != std::this_thread::get_id()) {
    thread_.join();
    return;
  }
  // Destroyed in its own callback, for which it cannot wait. The thread tells nothing more and owns a share of all that
  // it touches until it ends.
  thread_.detach();
}

}  // namespace leaderelection

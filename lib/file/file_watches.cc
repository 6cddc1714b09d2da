#include "file/file_watches.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/service_thread.h"
#include "file/system_error.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

// A folder that went away is looked for this often.
constexpr auto kRetry = 200ms;

class FileWatch final : public Watch {
 public:
  explicit FileWatch(std::shared_ptr<Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}
  ~FileWatch() override { mailbox_->Close(); }

 private:
  const std::shared_ptr<Mailbox> mailbox_;
};

// A missing folder may come back and a limit may be raised or left; what else keeps us from watching stays.
bool MayPass(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
      return true;
    default:
      return false;
  }
}

bool SameNews(const WatchEvent& a, const WatchEvent& b) {
  return a.kind == b.kind && a.stored.version.order == b.stored.version.order && a.stored.record == b.stored.record;
}

void Deliver(const std::weak_ptr<Mailbox>& listener, const WatchEvent& event) {
  const auto mailbox = listener.lock();
  if (!mailbox) return;
  mailbox->Enqueue(event);
  mailbox->Deliver();
}

}  // namespace

FileWatches::~FileWatches() {
  if (thread_.get_id() == std::this_thread::get_id()) {
    std::fputs("leaderelection: a FileLock was destroyed inside the callback of one of its watches\n", stderr);
    std::abort();
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.Raise();
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<Watch> FileWatches::Observe(std::function<void(WatchEvent)> on_event) {
  auto mailbox = std::make_shared<Mailbox>(std::move(on_event));
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = StartServiceThread("le-file-watch", [this] { Run(); });
    newcomers_.push_back(mailbox);
  }
  wake_.Raise();
  return std::make_unique<FileWatch>(std::move(mailbox));
}

void FileWatches::Run() {
  const auto folder = file_->path().parent_path();
  while (WaitForListeners()) {
    FolderEvents events;
    std::optional<Error> broken;
    if (events.Open(folder)) {
      broken = Follow(events);
      if (!broken) continue;
    } else {
      const int number = errno;
      broken = SystemError(number, "watch", folder);
      if (!MayPass(number)) {
        TellState(WatchEvent::Kind::kRefused, *broken);
        listeners_.clear();
        continue;
      }
    }
    TellState(WatchEvent::Kind::kLost, *broken);
    (void)wake_.WaitFor(kRetry);  // a newcomer is reason enough to try again at once
  }
}

bool FileWatches::Admit() {
  wake_.Lower();
  std::erase_if(listeners_, [](const Listener& listener) { return listener.mailbox.expired(); });
  const std::lock_guard lock(mutex_);
  for (auto& newcomer : newcomers_) listeners_.push_back({.mailbox = std::move(newcomer)});
  newcomers_.clear();
  return !stopping_;
}

bool FileWatches::WaitForListeners() {
  while (Admit()) {
    if (!listeners_.empty()) return true;
    (void)wake_.WaitFor(std::chrono::nanoseconds::max());
  }
  return false;
}

std::optional<Error> FileWatches::Follow(const FolderEvents& events) {
  while (Admit() && !listeners_.empty()) {
    TellState(WatchEvent::Kind::kLive, Error());
    const auto news = events.Wait(file_->path().filename().string(), wake_);
    if (!news) continue;
    if (news->folder_gone) return SystemError(ENOENT, "watch", file_->path().parent_path());
    if (!news->file) continue;
    if (auto unreadable = TellRecord()) return unreadable;
  }
  return std::nullopt;
}

// What is neither a record nor its absence cannot be told. It breaks the watch instead: the kLive that follows has the
// elector read, and find out.
std::optional<Error> FileWatches::TellRecord() {
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

// The kernel may tell of two writes when the first look has already found the second. A newcomer does not miss what is
// not told again: it was there before he was told kLive.
void FileWatches::TellIfNew(const WatchEvent& event) {
  if (SameNews(event, last_told_)) return;
  last_told_ = event;
  for (const Listener& listener : listeners_) Deliver(listener.mailbox, event);
}

void FileWatches::TellState(WatchEvent::Kind state, const Error& error) {
  WatchEvent event;
  event.kind = state;
  event.error = error;
  for (Listener& listener : listeners_) {
    if (std::exchange(listener.state, state) == state) continue;
    Deliver(listener.mailbox, event);
  }
}

}  // namespace leaderelection

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/service_thread.h"
#include "leaderelection/executor.h"

namespace leaderelection {
namespace {

class SystemClock final : public Clock {
 public:
  MonotonicTime Now() const noexcept override { return BootClock::now(); }
  WallTime WallNow() const noexcept override {
    return std::chrono::floor<WallTime::duration>(std::chrono::system_clock::now());
  }
};

class FileDescriptor {
 public:
  FileDescriptor(int descriptor, const char* what) : descriptor_(descriptor) {
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  }
  ~FileDescriptor() { ::close(descriptor_); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

timespec ToTimespec(MonotonicTime time) {
  const auto since_boot = std::max(time.time_since_epoch(), BootClock::duration(1));  // zero would disarm the timer
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
  return {.tv_sec = static_cast<time_t>(seconds.count()), .tv_nsec = static_cast<long>((since_boot - seconds).count())};
}

}  // namespace

// The thread sleeps in poll on a timer, set to the next task's time, and on an eventfd, written by whoever posts
// something that cannot wait for that.
class EventLoop::Loop {
 public:
  Loop()
      : wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd"),
        timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create"),
        thread_(StartServiceThread("le-event-loop", [this] { Run(); })) {}

  ~Loop() {
    if (thread_.get_id() == std::this_thread::get_id()) {
      std::fputs("leaderelection: an EventLoop was destroyed inside one of its own tasks\n", stderr);
      std::abort();
    }
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    Wake();
    thread_.join();
    // A dropped task may own something that posts as it goes, so they go while Post still works (and drops).
    ready_.clear();
    timers_.clear();
  }

  void Post(Task task) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
      ready_.push_back(std::move(task));
      if (awake_) return;
      awake_ = true;
    }
    Wake();
  }

  void PostAt(MonotonicTime time, Task task) {
    if (time <= BootClock::now()) return Post(std::move(task));
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
      timers_.push_back({time, next_sequence_++, std::move(task)});
      std::push_heap(timers_.begin(), timers_.end(), Later);
      if (awake_ || time >= armed_for_) return;
      awake_ = true;
    }
    Wake();
  }

 private:
  struct Timer {
    MonotonicTime time;
    std::uint64_t sequence;
    Task task;
  };

  static bool Later(const Timer& a, const Timer& b) {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }

  // A task that throws ends the process: the state it left half-changed must not go on electing.
  void Run() noexcept {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      MoveDueTimersToReady();
      if (ready_.empty()) {
        Sleep(lock);
        continue;
      }
      Task task = std::move(ready_.front());
      ready_.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  void MoveDueTimersToReady() {
    if (timers_.empty()) return;
    const MonotonicTime now = BootClock::now();
    while (!timers_.empty() && timers_.front().time <= now) {
      std::pop_heap(timers_.begin(), timers_.end(), Later);
      ready_.push_back(std::move(timers_.back().task));
      timers_.pop_back();
    }
  }

  void Sleep(std::unique_lock<std::mutex>& lock) {
    Arm(timers_.empty() ? kNever : timers_.front().time);
    awake_ = false;
    lock.unlock();
    std::array<pollfd, 2> sources{{{wake_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}}};
    ::poll(sources.data(), sources.size(), -1);
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto got = ::read(wake_.get(), &ignored, sizeof(ignored));
    lock.lock();
    awake_ = true;
  }

  // A timer that has fired stays readable until it is set anew. It is: what it fired for has run, so the next time is
  // another, be it kNever.
  void Arm(MonotonicTime time) {
    if (time == armed_for_) return;
    itimerspec setting{};
    if (time != kNever) setting.it_value = ToTimespec(time);  // else zero, which disarms
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
    armed_for_ = time;
  }

  void Wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof(one));
  }

  const FileDescriptor wake_;
  const FileDescriptor timer_;
  std::mutex mutex_;
  std::deque<Task> ready_;
  std::vector<Timer> timers_;  // a heap, the next one in front
  std::uint64_t next_sequence_ = 0;
  MonotonicTime armed_for_ = kNever;
  bool awake_ = true;  // false while the thread sleeps and nobody has woken it
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

EventLoop::EventLoop() : Executor(std::make_shared<SystemClock>()), loop_(std::make_unique<Loop>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::Post(Task task) { loop_->Post(std::move(task)); }
void EventLoop::PostAt(MonotonicTime time, Task task) { loop_->PostAt(time, std::move(task)); }

}  // namespace leaderelection

// Preloaded into one candidate, gives it a host of its own: clocks that step, run at another rate or stand still, and a
// disk that is full, hangs or fails after it has written. What the host is like stands in the file that HOST_SHIM
// names, mapped, so that a test changes it while the candidate runs; test/support/host_shim.py is the other end.
//
// Turned are CLOCK_REALTIME and CLOCK_BOOTTIME with their coarse kinds, gettimeofday, and timers on those clocks. Left
// alone are CLOCK_MONOTONIC_RAW, by which the tests judge, and time(), by which TLS judges certificates: those of the
// test's servers are no older than the servers.

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace {

// shown = shown_base + (real - real_base) * rate
struct TurnedClock {
  std::int64_t real_base;
  std::int64_t shown_base;
  double rate;
};

struct Host {
  std::uint64_t sequence;  // odd while the test is writing
  TurnedClock wall;
  TurnedClock boot;
  std::uint64_t disk_full;    // fdatasync fails with ENOSPC
  std::uint64_t disk_hangs;   // fdatasync does not return while this is set
  std::uint64_t sync_fails;   // so many calls of fsync fail with EIO, after the fact
  std::uint64_t sync_delay;   // milliseconds that fsync takes longer, after the fact
  std::uint64_t clock_reads;  // counted here: turned clocks that were read,
  std::uint64_t timers_set;   // timers that were set on them,
  std::uint64_t disk_faults;  // and calls that failed or were held up
};

using ClockGettime = int(clockid_t, timespec*);
using TimerfdCreate = int(clockid_t, int);
using TimerfdSettime = int(int, int, const itimerspec*, itimerspec*);
using Close = int(int);
using Sync = int(int);

template <class Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

constexpr std::int64_t kSecond = 1'000'000'000;
std::int64_t ToNanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec; }
timespec ToTimespec(std::int64_t time) { return {.tv_sec = time / kSecond, .tv_nsec = time % kSecond}; }

Host* MapHost() {
  const char* path = ::getenv("HOST_SHIM");
  const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* mapped = ::mmap(nullptr, sizeof(Host), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<Host*>(mapped);
}

// Other libraries' constructors may read a clock before ours has run.
Host* TheHost() {
  static Host* const host = MapHost();
  return host;
}

void Count(std::uint64_t& counter) { std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed); }
std::uint64_t Load(std::uint64_t& value) { return std::atomic_ref(value).load(std::memory_order_acquire); }

bool IsWall(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE; }
bool IsTurned(clockid_t id) { return TheHost() != nullptr && (IsWall(id) || id == CLOCK_BOOTTIME); }

TurnedClock Read(clockid_t id) {
  Host& host = *TheHost();
  for (;;) {
    const std::uint64_t before = Load(host.sequence);
    const TurnedClock clock = IsWall(id) ? host.wall : host.boot;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && Load(host.sequence) == before) return clock;
  }
}

std::int64_t Shown(const TurnedClock& clock, std::int64_t real) {
  return clock.shown_base + std::llround(static_cast<double>(real - clock.real_base) * clock.rate);
}

// Never, for a time that a clock which stands still will not show.
std::int64_t Real(const TurnedClock& clock, std::int64_t shown) {
  if (shown <= clock.shown_base) return 1;
  if (clock.rate <= 0) return INT64_MAX / 2;
  return clock.real_base + std::llround(static_cast<double>(shown - clock.shown_base) / clock.rate);
}

std::int64_t Now(clockid_t id) {
  static auto* const next = Next<ClockGettime>("clock_gettime");
  timespec real{};
  next(id, &real);
  return ToNanoseconds(real);
}

// A timer that is set for a time of a turned clock, to be set anew when the clock is turned. Bounded and without locks
// around system calls that block; one event loop has one timer.
struct Timer {
  int descriptor = -1;
  clockid_t clock = CLOCK_MONOTONIC;
  std::int64_t shown = 0;  // when it is to fire; 0: not set
};
constexpr int kMostTimers = 64;
Timer timers[kMostTimers];
pthread_mutex_t timers_mutex = PTHREAD_MUTEX_INITIALIZER;

class TimersLock {
 public:
  TimersLock() { ::pthread_mutex_lock(&timers_mutex); }
  ~TimersLock() { ::pthread_mutex_unlock(&timers_mutex); }
};

Timer* FindTimer(int descriptor) {
  for (Timer& timer : timers) {
    if (timer.descriptor == descriptor) return &timer;
  }
  return nullptr;
}

int SetReal(const Timer& timer) {
  static auto* const next = Next<TimerfdSettime>("timerfd_settime");
  itimerspec setting{};
  if (timer.shown != 0) setting.it_value = ToTimespec(Real(Read(timer.clock), timer.shown));
  return next(timer.descriptor, TFD_TIMER_ABSTIME, &setting, nullptr);
}

// What the kernel does of itself when a clock is set or the machine wakes.
void* FollowTheTest(void*) {
  std::uint64_t seen = Load(TheHost()->sequence);
  for (;;) {
    ::poll(nullptr, 0, 5);
    const std::uint64_t now = Load(TheHost()->sequence);
    if (now == seen || now % 2 != 0) continue;
    seen = now;
    const TimersLock lock;
    for (const Timer& timer : timers) {
      if (timer.descriptor >= 0 && timer.shown != 0) SetReal(timer);
    }
  }
}

[[gnu::constructor]] void Begin() {
  if (TheHost() == nullptr) return;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the candidate's own threads
  pthread_t thread{};
  if (::pthread_create(&thread, nullptr, FollowTheTest, nullptr) == 0) ::pthread_detach(thread);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

#define HOST_SHIM_EXPORT extern "C" [[gnu::visibility("default")]]

HOST_SHIM_EXPORT int clock_gettime(clockid_t id, timespec* time) noexcept {
  if (!IsTurned(id)) {
    static auto* const next = Next<ClockGettime>("clock_gettime");
    return next(id, time);
  }
  Count(TheHost()->clock_reads);
  *time = ToTimespec(Shown(Read(id), Now(id)));
  return 0;
}

HOST_SHIM_EXPORT int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return status;
}

HOST_SHIM_EXPORT int timerfd_create(clockid_t id, int flags) noexcept {
  static auto* const next = Next<TimerfdCreate>("timerfd_create");
  const int descriptor = next(id, flags);
  if (descriptor < 0 || !IsTurned(id)) return descriptor;
  const TimersLock lock;
  if (Timer* const free = FindTimer(-1)) *free = {.descriptor = descriptor, .clock = id};
  return descriptor;
}

HOST_SHIM_EXPORT int timerfd_settime(int descriptor, int flags, const itimerspec* setting, itimerspec* old) noexcept {
  static auto* const next = Next<TimerfdSettime>("timerfd_settime");
  const TimersLock lock;
  Timer* const timer = FindTimer(descriptor);
  if (timer == nullptr) return next(descriptor, flags, setting, old);
  const std::int64_t value = ToNanoseconds(setting->it_value);
  const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  timer->shown = value == 0 || absolute ? value : Shown(Read(timer->clock), Now(timer->clock)) + value;
  Count(TheHost()->timers_set);
  return SetReal(*timer);
}

HOST_SHIM_EXPORT int close(int descriptor) {
  static auto* const next = Next<Close>("close");
  if (TheHost() != nullptr) {
    const TimersLock lock;
    if (Timer* const timer = descriptor < 0 ? nullptr : FindTimer(descriptor)) *timer = {};
  }
  return next(descriptor);
}

HOST_SHIM_EXPORT int fdatasync(int descriptor) {
  static auto* const next = Next<Sync>("fdatasync");
  Host* const host = TheHost();
  if (host == nullptr) return next(descriptor);
  if (Load(host->disk_hangs) != 0) Count(host->disk_faults);
  while (Load(host->disk_hangs) != 0) ::poll(nullptr, 0, 5);
  if (Load(host->disk_full) == 0) return next(descriptor);
  Count(host->disk_faults);
  errno = ENOSPC;
  return -1;
}

HOST_SHIM_EXPORT int fsync(int descriptor) {
  static auto* const next = Next<Sync>("fsync");
  const int status = next(descriptor);
  Host* const host = TheHost();
  if (host == nullptr) return status;
  if (const auto delay = static_cast<int>(Load(host->sync_delay)); delay > 0) {
    Count(host->disk_faults);
    ::poll(nullptr, 0, delay);
  }
  if (Load(host->sync_fails) == 0) return status;
  std::atomic_ref(host->sync_fails).fetch_sub(1);
  Count(host->disk_faults);
  errno = EIO;
  return -1;
}

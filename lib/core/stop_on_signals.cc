#include "leaderelection/stop_on_signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/service_thread.h"

namespace leaderelection {

namespace {

// A handler gets nothing but the number of its signal, so it finds the rest here. It is the one place in the library
// that the whole process shares.
std::atomic<int> event{-1};
std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait");

}  // namespace

extern "C" void LeaderelectionOnSignal(int signal);
extern "C" void LeaderelectionOnSignal(int signal) {
  const int saved_errno = errno;
  int none = 0;
  received.compare_exchange_strong(none, signal);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event.load(), &one, sizeof(one));
  errno = saved_errno;
}

class StopOnSignals::Listener {
 public:
  explicit Listener(std::initializer_list<int> signals) {
    const int descriptor = ::eventfd(0, EFD_CLOEXEC);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    int free = -1;
    if (!event.compare_exchange_strong(free, descriptor)) {
      ::close(descriptor);
      throw std::logic_error("StopOnSignals: there is one already in this process");
    }
    received = 0;
    thread_ = StartServiceThread("le-signals", [this] { Serve(); });
    for (int signal : signals) Handle(signal);
  }

  ~Listener() { End(); }

  [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }

 private:
  void Handle(int signal) {
    struct sigaction action {};
    action.sa_handler = &LeaderelectionOnSignal;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // a second one has its usual effect
    sigemptyset(&action.sa_mask);
    struct sigaction before {};
    if (::sigaction(signal, &action, &before) != 0) {
      const int error = errno;
      End();
      throw std::system_error(error, std::generic_category(), "signal " + std::to_string(signal));
    }
    replaced_.emplace_back(signal, before);
  }

  void Serve() {
    std::uint64_t ignored = 0;
    while (::read(event.load(), &ignored, sizeof(ignored)) < 0 && errno == EINTR) continue;
    if (received != 0) stop_.request_stop();
  }

  void End() {
    for (const auto& [signal, before] : replaced_) ::sigaction(signal, &before, nullptr);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event.load(), &one, sizeof(one));
    thread_.join();
    ::close(event.exchange(-1));
  }

  std::stop_source stop_;
  std::vector<std::pair<int, struct sigaction>> replaced_;
  std::thread thread_;
};

StopOnSignals::StopOnSignals(std::initializer_list<int> signals) : listener_(std::make_unique<Listener>(signals)) {}
StopOnSignals::~StopOnSignals() = default;

std::stop_token StopOnSignals::token() const noexcept { return listener_->token(); }
int StopOnSignals::signal() const noexcept { return received; }

}  // namespace leaderelection

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "child/descriptor.h"
#include "child/process_tree.h"
#include "child/watcher.h"

namespace leaderelection::command {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kKillAgain(20);

Descriptor OpenSignals() {
  sigset_t all;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&all, fault);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);  // whoever asks it to end does not mean it
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return Descriptor(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
}

class Watching {
 public:
  Watching(int socket, const std::vector<std::string>& command, milliseconds grace, const Lifeline& lifeline)
      : socket_(socket), command_(command), grace_(grace), lifeline_(lifeline) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  void Run() {
    while (connected_ || running_) {
      std::array<pollfd, 3> wait = {pollfd{connected_ ? socket_ : -1, POLLIN, 0}, pollfd{signals_.number(), POLLIN, 0},
                                    pollfd{Timer(), POLLIN, 0}};
      if (::poll(wait.data(), wait.size(), -1) < 0) continue;
      if (wait[1].revents != 0) Reap();
      if (wait[0].revents != 0) Obey();
      if (running_) Enforce();
    }
  }

 private:
  // Armed with the time by which something must be done, on the clock that does not stop in suspend.
  int Timer() {
    MonotonicTime next = kNever;
    if (running_) next = killing_ ? BootClock::now() + kKillAgain : Deadline();
    itimerspec when{};
    if (next != kNever) {
      const auto count = std::max<std::int64_t>(next.time_since_epoch().count(), 1);
      when.it_value = {.tv_sec = count / 1'000'000'000, .tv_nsec = count % 1'000'000'000};
    }
    ::timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &when, nullptr);
    return timer_.number();
  }

  [[nodiscard]] MonotonicTime Deadline() const { return std::min(lifeline_.until(), kill_at_); }

  void Obey() {
    const std::optional<Order> order = ReceiveOrder(socket_);
    if (!order) {
      connected_ = false;
      killing_ = true;
      return;
    }
    switch (order->kind) {
      case Order::Kind::kStart:
        if (!running_) Start(order->environment);
        return;
      case Order::Kind::kSignal:
        if (running_ && !reaped_) ::kill(-main_, order->signal);
        return;
      case Order::Kind::kTerminate:
        if (running_) Terminate(order->kill_at);
        return;
    }
  }

  void Start(const std::string& environment) {
    if (BootClock::now() >= lifeline_.until()) {
      Send(socket_, Report{Report::Kind::kExpired, SIGKILL});
      return;
    }
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      Send(socket_, Report{Report::Kind::kNotStarted, errno});
      return;
    }
    Descriptor read_end(ends[0], "pipe");
    Descriptor write_end(ends[1], "pipe");
    main_ = ::fork();
    if (main_ == 0) Exec(write_end.number(), environment);
    const int fork_error = errno;
    write_end.Close();
    int exec_error = main_ < 0 ? fork_error : 0;
    // Ends without a word when the program has been executed.
    if (main_ > 0 && ::read(read_end.number(), &exec_error, sizeof(exec_error)) > 0) ::waitpid(main_, nullptr, 0);
    if (exec_error != 0) {
      Send(socket_, Report{Report::Kind::kNotStarted, exec_error});
      return;
    }
    running_ = true;
    reaped_ = terminating_ = killing_ = expired_ = false;
    kill_at_ = kNever;
    Send(socket_, Report{Report::Kind::kStarted, main_});
  }

  [[noreturn]] void Exec(int failure, const std::string& environment) const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    std::string text = environment;  // putenv keeps pointers into it
    for (std::size_t from = 0; from < text.size(); from += std::strlen(text.data() + from) + 1) {
      ::putenv(text.data() + from);  // NOLINT(concurrency-mt-unsafe): this process has one thread
    }
    std::vector<char*> arguments;
    for (const std::string& argument : command_) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(failure, &error, sizeof(error));
    ::_exit(127);
  }

  // The group gets it at once; what has left the group, one by one.
  void Terminate(MonotonicTime kill_at) {
    kill_at_ = std::min(kill_at_, kill_at);
    if (std::exchange(terminating_, true)) return;
    if (!reaped_) ::kill(-main_, SIGTERM);
    for (const ProcessEntry& entry : Descendants(::getpid())) {
      if (reaped_ || entry.group != main_) ::kill(entry.id, SIGTERM);
    }
  }

  // Once decided, nothing revokes it: a leader-elector that wakes up and renews is too late.
  void Enforce() {
    if (!killing_ && BootClock::now() >= Deadline()) {
      expired_ = BootClock::now() >= lifeline_.until();
      killing_ = true;
    }
    if (!killing_) return;
    if (!reaped_) ::kill(-main_, SIGKILL);  // its number is not given to another before it is reaped
    SignalDescendants(::getpid(), SIGKILL);
  }

  void Reap() {
    signalfd_siginfo ignored{};
    while (::read(signals_.number(), &ignored, sizeof(ignored)) > 0) continue;
    int status = 0;
    pid_t id = 0;
    while ((id = ::waitpid(-1, &status, WNOHANG)) > 0) {
      if (!running_ || id != main_) continue;
      reaped_ = true;
      status_ = status;
      Terminate(BootClock::now() + grace_);
    }
    if (id < 0 && errno == ECHILD && running_) {
      running_ = false;
      Send(socket_, Report{expired_ ? Report::Kind::kExpired : Report::Kind::kGone, status_});
    }
  }

  const int socket_;
  const std::vector<std::string>& command_;
  const milliseconds grace_;
  const Lifeline& lifeline_;
  const Descriptor signals_ = OpenSignals();
  const Descriptor timer_{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create"};

  bool connected_ = true;
  bool running_ = false;      // the command, or something it started
  pid_t main_ = -1;           // the command's process, and the number of its group
  bool reaped_ = false;       // that process has ended
  int status_ = 0;            // as it did
  bool terminating_ = false;  // SIGTERM was sent
  bool killing_ = false;      // SIGKILL is being sent
  bool expired_ = false;      // because its time was over
  MonotonicTime kill_at_ = kNever;
};

}  // namespace

void Watch(int socket, const std::vector<std::string>& command, milliseconds grace, const Lifeline& lifeline) {
  Watching(socket, command, grace, lifeline).Run();
}

}  // namespace leaderelection::command

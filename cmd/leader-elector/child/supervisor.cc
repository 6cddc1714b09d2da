#include "child/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stop_token>
#include <system_error>
#include <utility>

#include "child/lifeline_metrics.h"
#include "child/process_tree.h"
#include "options/duration.h"
#include "usage_error.h"

namespace leaderelection::command {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLeastMargin(25);
constexpr int kNotFoundCode = 127;
constexpr int kNotExecutableCode = 126;
constexpr int kSignalCode = 128;

// What is left for SIGKILL to take effect before another candidate may lead.
milliseconds Margin(const SupervisorOptions& options) {
  const milliseconds margin = std::min((options.lease_duration - options.renew_deadline) / 4, milliseconds(500));
  if (margin >= kLeastMargin) return margin;
  throw UsageError("--renew-deadline (" + FormatDuration(options.renew_deadline) +
                   ") must be at least 100ms less than --lease-duration (" + FormatDuration(options.lease_duration) +
                   "): the command of a lost term is ended in between");
}

// What a command has started is found there.
void CheckProc() {
  if (::access("/proc/self/stat", R_OK) != 0) throw UsageError("/proc is not mounted; run needs it");
}

Descriptor TakeSignals() {
  CheckProc();
  sigset_t taken;
  sigemptyset(&taken);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD}) sigaddset(&taken, signal);
  ::pthread_sigmask(SIG_BLOCK, &taken, nullptr);  // inherited by all threads to come
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // should the watcher die, what it watched is ours
  return Descriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
}

int ExitCode(int status) { return WIFSIGNALED(status) ? kSignalCode + WTERMSIG(status) : WEXITSTATUS(status); }

int ToPollTime(MonotonicTime when) {
  const auto left = std::chrono::ceil<milliseconds>(when - BootClock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

Supervisor::Supervisor(SupervisorOptions options)
    : options_(std::move(options)),
      margin_(Margin(options_)),
      signals_(TakeSignals()),
      stopped_(::eventfd(0, EFD_CLOEXEC), "eventfd"),
      watcher_(options_.command, options_.grace_period, lifeline_) {}

std::shared_ptr<Metrics> Supervisor::Extending(std::shared_ptr<Metrics> metrics) {
  const milliseconds longer = options_.lease_duration - options_.renew_deadline - margin_;
  return std::make_shared<LifelineMetrics>(lifeline_, longer, std::move(metrics));
}

// On the thread of on_started_leading. On a loss and on a clean stop alike the command has its grace period; what
// differs is that after a loss nothing extends its life any more.
void Supervisor::Work(const Term& term, const std::string& environment) {
  std::unique_lock lock(mutex_);
  if (stopping_ || !term.IsValid()) return;
  if (!watcher_.Send({.kind = Order::Kind::kStart, .environment = environment})) return;
  running_ = true;
  asked_ = false;
  lock.unlock();
  const std::stop_callback on_stop(term.stop_token(), [this] {
    {
      const std::lock_guard asking(mutex_);
      asked_ = true;
    }
    watcher_.Send({.kind = Order::Kind::kTerminate, .kill_at = BootClock::now() + options_.grace_period});
  });
  lock.lock();
  changed_.wait(lock, [this] { return !running_; });
}

int Supervisor::Serve(LeaderElector& elector, const LogSink& log) {
  elector_ = &elector;
  log_ = log;
  elector.Start();
  for (;;) {
    std::array<pollfd, 3> wait = {pollfd{signals_.number(), POLLIN, 0}, pollfd{stopped_.number(), POLLIN, 0},
                                  pollfd{watcher_lost_ ? -1 : watcher_.socket(), POLLIN, 0}};
    ::poll(wait.data(), wait.size(), WaitTime());
    if (wait[1].revents != 0) return exit_code_.value_or(0);
    if (wait[2].revents != 0) OnReport();
    if (wait[0].revents != 0) OnSignals();
    orphans_.Look();
    const std::unique_lock lock(mutex_);
    // The watcher should have acted by now; is it stopped?
    const bool overdue = running_ && BootClock::now() > lifeline_.until() + margin_ / 2;
    if (overdue && !watcher_lost_) ::kill(watcher_.id(), SIGKILL);
  }
}

int Supervisor::WaitTime() {
  MonotonicTime next = kNever;
  {
    const std::lock_guard lock(mutex_);
    if (running_ && !watcher_lost_) next = lifeline_.until() + margin_ / 2 + milliseconds(1);
  }
  if (next == kNever && !orphans_.next()) return -1;
  if (orphans_.next()) next = std::min(next, *orphans_.next());
  return ToPollTime(next);
}

void Supervisor::OnSignals() {
  signalfd_siginfo info{};
  while (::read(signals_.number(), &info, sizeof(info)) == sizeof(info)) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal != SIGCHLD) {
      Forward(signal);
    } else if (watcher_.id() > 0 && ::waitpid(watcher_.id(), nullptr, WNOHANG) == watcher_.id()) {
      watcher_.NoteReaped();
      OnWatcherLost();
    } else {
      orphans_.OnChildEnded();
    }
  }
}

void Supervisor::Forward(int signal) {
  bool running = false;
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    running = running_;
    again = stopping_;
  }
  const std::string name = std::string("SIG") + (::sigabbrev_np(signal) != nullptr ? ::sigabbrev_np(signal) : "?");
  const bool asks_to_stop = signal == SIGTERM || signal == SIGINT;
  if (asks_to_stop && again) {
    Log(LogLevel::kWarning, "asked to stop again: killing the command", {{"signal", name}});
    watcher_.Send({.kind = Order::Kind::kTerminate, .kill_at = BootClock::now()});
  } else if (asks_to_stop || (!running && (signal == SIGHUP || signal == SIGQUIT))) {
    Log(LogLevel::kInfo, "asked to stop", {{"signal", name}});
    Stop();
  } else if (running) {
    watcher_.Send({.kind = Order::Kind::kSignal, .signal = signal});
  }
}

void Supervisor::OnReport() {
  const std::optional<Report> report = ReceiveReport(watcher_.socket());
  if (!report) return OnWatcherLost();
  switch (report->kind) {
    case Report::Kind::kStarted:
      return Log(LogLevel::kInfo, "command started", {{"pid", std::to_string(report->status)}});
    case Report::Kind::kGone:
      Log(LogLevel::kInfo, "command ended", {{"exit_code", std::to_string(ExitCode(report->status))}});
      return Ended(ExitCode(report->status));
    case Report::Kind::kNotStarted:
      Log(LogLevel::kError, "cannot start the command",
          {{"command", options_.command.front()}, {"error", std::generic_category().message(report->status)}});
      return Ended(report->status == ENOENT ? kNotFoundCode : kNotExecutableCode);
    case Report::Kind::kExpired: {
      Log(LogLevel::kWarning, "command killed: its time was over");
      const std::lock_guard lock(mutex_);
      asked_ = true;
      if (stopping_) exit_code_ = exit_code_.value_or(ExitCode(report->status));
      running_ = false;
      break;
    }
  }
  changed_.notify_all();
}

// A command that ends of itself, while nobody has asked it to, takes leader-elector with it.
void Supervisor::Ended(int code) {
  bool by_itself = false;
  {
    const std::lock_guard lock(mutex_);
    by_itself = !asked_;
    if (by_itself || stopping_) exit_code_ = exit_code_.value_or(code);
    running_ = false;
  }
  changed_.notify_all();
  if (by_itself) Stop();
}

// Nobody would end the command if this process were killed now, so it is ended at once.
void Supervisor::OnWatcherLost() {
  if (std::exchange(watcher_lost_, true)) return;
  Log(LogLevel::kError, "the watcher process was killed: ending the command");
  while (SignalDescendants(::getpid(), SIGKILL)) ::poll(nullptr, 0, 10);
  exit_code_ = 1;
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
  }
  changed_.notify_all();
  Stop();
}

void Supervisor::Stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
  }
  stopper_ = std::jthread([this] {
    elector_->Stop();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stopped_.number(), &one, sizeof(one));
  });
}

void Supervisor::Log(LogLevel level, std::string_view message, std::vector<LogField> fields) const {
  if (log_) log_({level, message, std::move(fields)});
}

}  // namespace leaderelection::command

#include "core/candidacy.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

namespace leaderelection {

using std::chrono::milliseconds;

namespace {

// Changes of leader that a blocked on_new_leader may miss; the newest are kept.
constexpr std::size_t kObserversQueue = 64;
// Never reached: a term needs one place in the work's queue and two in the other, and waits for the work before it.
constexpr std::size_t kTermQueue = 1024;

// After this it is said what is waited for.
constexpr std::chrono::seconds kPatience(5);

ElectionSettings ToSettings(const LeaderElectionConfig& config) {
  ElectionSettings settings;
  settings.identity = config.identity;
  settings.lease_duration = config.lease_duration;
  settings.renew_deadline = config.renew_deadline;
  settings.retry_period = config.retry_period;
  settings.renew_interval = config.renew_interval;
  settings.drain_timeout = config.drain_timeout;
  settings.release_spread = config.lock->ReleaseSpread();
  // The lock outlives the election's last step: the driver lets go of it only when it is closed.
  settings.storable = [lock = config.lock.get()](Record record) { return lock->Storable(std::move(record)); };
  settings.seed = std::hash<std::string>()(config.identity);
  return settings;
}

}  // namespace

Candidacy::Candidacy(LeaderElectionConfig config)
    : config_(std::move(config)),
      executor_(config_.executor ? config_.executor : std::make_shared<EventLoop>()),
      clock_(executor_->clock()),
      validity_(std::make_shared<Validity>(clock_)),
      reporter_(config_.name, config_.identity, config_.log, config_.metrics),
      acts_until_(kNever),
      metadata_(config_.metadata),
      driver_(std::make_shared<ElectionDriver>(ToSettings(config_), config_.lock, executor_, validity_,
                                               [this](const Announcement& news) { Hear(news); })),
      observers_("le-observers", config_.callback_executor, kObserversQueue),
      lifecycle_("le-lifecycle", config_.callback_executor, kTermQueue),
      work_("le-work", config_.callback_executor, kTermQueue) {}

Candidacy::~Candidacy() {
  if (InCallback()) {
    std::fputs("leaderelection: a LeaderElector was destroyed inside one of its own callbacks\n", stderr);
    std::terminate();
  }
  driver_->Close();
  // Nothing is announced any more, so what belongs to the executor's thread is ours now.
  if (term_) PushEnding();
  // The callbacks that are due run here if need be: whatever should run them may be gone already, or waits for us.
  while (!lifecycle_.Finish(kPatience)) {
    reporter_.Log(LogLevel::kWarning, "waits, to be destroyed, until on_stopped_leading returns");
  }
  while (!work_.Finish(kPatience)) {
    reporter_.Log(LogLevel::kWarning, "waits, to be destroyed, until on_started_leading returns");
  }
}

// Who stands.

void Candidacy::ThrowIfBusy(const char* what) const {
  if (InCallback()) throw std::logic_error(std::string(what) + " was called inside a callback of the same elector");
  ThrowIfRunning(what);
}

void Candidacy::ThrowIfRunning(const char* what) const {
  if (mode_ != Mode::kRun && mode_ != Mode::kService) return;
  throw std::logic_error(std::string(what) + " was called on an elector that runs already");
}

void Candidacy::Enter(Mode mode) {
  mode_ = mode;
  stand_pending_ = mode != Mode::kManual;
  failure_.reset();
  answered_at_ = clock_->Now();
}

void Candidacy::Run(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    ThrowIfBusy("Run");
    if (stop.stop_requested()) return;
    Enter(Mode::kRun);
  }
  ProvideMetadata();
  Stand(config_.observe_only ? Election::Role::kObserver : Election::Role::kOneTerm);
  const std::stop_callback on_stop(stop, [this] { Resign(config_.release_on_cancel); });
  AwaitRest();
}

void Candidacy::Start() {
  {
    const std::lock_guard lock(mutex_);
    ThrowIfRunning("Start");
    Enter(Mode::kService);
  }
  ProvideMetadata();
  Stand(config_.observe_only ? Election::Role::kObserver : Election::Role::kCandidate);
}

void Candidacy::Stop() {
  Resign(config_.release_on_cancel);
  if (!InCallback()) AwaitRest();
}

Result<Term> Candidacy::TryAcquire() {
  std::unique_lock lock(mutex_);
  ThrowIfBusy("TryAcquire");
  if (config_.observe_only) throw std::logic_error("TryAcquire was called on an elector that only observes");
  // Another thread's attempt, or what is left of the term before, comes to its end first.
  changed_.wait(lock, [this] { return mode_ != Mode::kManual || shown_; });
  ThrowIfRunning("TryAcquire");
  if (shown_) return Term(shown_);
  // Rule 11: it does not stand before that has returned.
  if (works_ > 0) return {ErrorCode::kHeld, "the work of an earlier term still runs"};
  Enter(Mode::kManual);
  attempt_.reset();
  attempting_ = true;
  lock.unlock();
  ProvideMetadata();
  driver_->Post([this](Election& election, Instant at) {
    active_ = trying_ = true;
    return election.Try(at);
  });
  lock.lock();
  changed_.wait(lock, [this] { return !attempting_ && (shown_ || mode_ == Mode::kNone); });
  if (attempt_) return *attempt_;
  if (!shown_) return {ErrorCode::kHeld, "acquired and lost again at once"};
  return Term(shown_);
}

void Candidacy::Release() {
  Mode mode = Mode::kNone;
  {
    const std::lock_guard lock(mutex_);
    mode = mode_;
  }
  if (mode == Mode::kNone) return;
  if (mode != Mode::kManual) return StepDown();
  Resign(true);
  if (!InCallback()) AwaitRest();
}

void Candidacy::StepDown() {
  driver_->Post([this](Election& election, Instant at) {
    if (!term_) return election.HandleTime(at);
    leaving_ = leaving_ || !standing_;
    return election.Resign(at, standing_ ? Election::Resignation::kStepDown : Election::Resignation::kStop, true);
  });
}

void Candidacy::Stand(Election::Role role) {
  driver_->Post([this, role](Election& election, Instant at) {
    // An attempt or a resignation under way would end with the candidacy; it waits for that instead.
    if (trying_ || leaving_) {
      stand_later_ = role;
      return election.HandleTime(at);
    }
    active_ = standing_ = true;
    {
      const std::lock_guard lock(mutex_);
      stand_pending_ = false;
    }
    // A term that TryAcquire began goes on, with work now.
    if (term_) LaunchWork();
    return election.Stand(at, role);
  });
}

void Candidacy::Resign(bool release) {
  driver_->Post([this, release](Election& election, Instant at) {
    if (std::exchange(stand_later_, std::nullopt)) {
      const std::lock_guard lock(mutex_);
      stand_pending_ = false;
    }
    if (!active_) return election.HandleTime(at);
    leaving_ = true;
    return election.Resign(at, Election::Resignation::kStop, release);
  });
}

void Candidacy::SetMetadata(Metadata metadata) {
  {
    const std::lock_guard lock(mutex_);
    metadata_ = std::move(metadata);
  }
  ProvideMetadata();
}

void Candidacy::ProvideMetadata() {
  Metadata provided;
  if (config_.metadata_provider) {
    Call("metadata_provider", [&] { provided = config_.metadata_provider(); });
  }
  {
    const std::lock_guard lock(mutex_);
    provided.insert(metadata_.begin(), metadata_.end());
  }
  driver_->SetMetadata(std::move(provided));
}

// What is announced.

void Candidacy::Hear(const Announcement& announcement) {
  reporter_.OnAnnouncement(announcement);
  std::visit([this](const auto& news) { On(news); }, announcement);
}

void Candidacy::On(const announce::TermStarted& started) {
  term_ = std::make_shared<TermState>(validity_, clock_, started.validity_term, started.number, config_.identity);
  launched_ = stopping_ = trying_ = false;
  {
    const std::lock_guard lock(mutex_);
    shown_ = term_;
    attempting_ = false;
    acts_until_ = started.valid_until - config_.renew_deadline + config_.lease_duration;
  }
  changed_.notify_all();
  config_.lock->RecordEvent(config_.identity, "became leader");
  if (standing_) LaunchWork();
  if (stand_later_ && !leaving_) Stand(*std::exchange(stand_later_, std::nullopt));
  if (config_.metadata_provider) observers_.Push([this] { ProvideMetadata(); });
}

// The election has to know of the work before anything else can happen to the term, or a resignation that is on its way
// would be followed by the release at once (rule 9). So both are done in one step, unless the term is ending by then.
void Candidacy::LaunchWork() {
  driver_->Post([this, term = term_](Election& election, Instant at) {
    if (term_ != term || stopping_ || std::exchange(launched_, true)) return election.HandleTime(at);
    if (!config_.callbacks.on_started_leading) {
      (void)term->TellBegin();
      return election.HandleTime(at);
    }
    {
      const std::lock_guard lock(mutex_);
      ++works_;
    }
    work_.Push([this, term] { RunWork(term); });
    return election.WorkStarted(at);
  });
}

void Candidacy::On(const announce::WorkMustStop&) {
  stopping_ = true;
  lifecycle_.Push([term = term_] { term->RequestStop(); });
}

void Candidacy::On(const announce::TermEnded& ended) {
  bool working = false;
  {
    const std::lock_guard lock(mutex_);
    shown_.reset();
    working = works_ > 0;
    if (working && ended.reason == EndReason::kDrainTimeout) given_up_ = true;
  }
  config_.lock->RecordEvent(config_.identity, "stopped leading");
  PushEnding();
  if (!working || !IsLoss(ended.reason)) return;
  executor_->PostAt(executor_->Now() + config_.drain_timeout, [weak = std::weak_ptr(driver_), this] {
    const auto driver = weak.lock();
    if (!driver) return;
    driver->Post([this](Election& election, Instant at) {
      {
        const std::lock_guard lock(mutex_);
        given_up_ = works_ > 0;
      }
      changed_.notify_all();
      return election.HandleTime(at);
    });
  });
}

void Candidacy::PushEnding() {
  {
    const std::lock_guard lock(mutex_);
    ++endings_;
  }
  lifecycle_.Push([this, term = std::exchange(term_, nullptr)] { EndTerm(term); });
}

void Candidacy::On(const announce::Overrun&) {
  if (config_.overrun != LeaderElectionConfig::Overrun::kTerminate) return;
  // Not exit: its handlers and destructors take time, and a second leader acts meanwhile.
  std::fputs("leaderelection: the work of a term that is over still runs; ending the process\n", stderr);
  std::_Exit(EXIT_FAILURE);
}

void Candidacy::On(const announce::AttemptOver& over) {
  trying_ = false;
  leaving_ = true;
  {
    const std::lock_guard lock(mutex_);
    attempt_ = over.error;
    attempting_ = false;
  }
  changed_.notify_all();
}

void Candidacy::On(const announce::Idle&) {
  active_ = standing_ = leaving_ = trying_ = false;
  {
    const std::lock_guard lock(mutex_);
    if (!stand_pending_) mode_ = Mode::kNone;
  }
  changed_.notify_all();
  if (stand_later_) Stand(*std::exchange(stand_later_, std::nullopt));
}

void Candidacy::On(const announce::RecordChanged& changed) {
  const std::optional<LeaderChange> change = view_.OnRecord(executor_->Now(), changed.record);
  if (!change) return;
  reporter_.OnLeaderChange(*change);
  const LeaderCallbacks& callbacks = config_.callbacks;
  if (!callbacks.on_new_leader && !callbacks.on_leader_changed) return;
  const bool all_told = observers_.Push([this, change = *change] {
    const LeaderCallbacks& told = config_.callbacks;
    if (told.on_new_leader && change.current) {
      Call("on_new_leader", [&] { told.on_new_leader(change.current->identity); });
    }
    if (told.on_leader_changed) Call("on_leader_changed", [&] { told.on_leader_changed(change); });
  });
  if (!all_told) reporter_.Log(LogLevel::kWarning, "on_new_leader is too slow: the oldest change was dropped");
}

void Candidacy::On(const announce::Renewed& renewed) {
  const std::lock_guard lock(mutex_);
  acts_until_ = renewed.valid_until - config_.renew_deadline + config_.lease_duration;
}

void Candidacy::On(const announce::RequestFailed& failed) {
  const std::lock_guard lock(mutex_);
  failure_ = failed.error;
}

void Candidacy::On(const announce::Answered&) {
  const std::lock_guard lock(mutex_);
  failure_.reset();
  answered_at_ = clock_->Now();
}

// User code.

bool Candidacy::Call(std::string_view callback, const std::function<void()>& function) const {
  std::string what;
  try {
    function();
    return true;
  } catch (const std::exception& thrown) {
    what = thrown.what();
  } catch (...) {
    what = "something that is no std::exception";
  }
  reporter_.Log(LogLevel::kError, "a callback threw", {{"callback", std::string(callback)}, {"what", what}});
  return false;
}

void Candidacy::RunWork(const std::shared_ptr<TermState>& term) {
  const bool returned = !term->TellBegin() || Call("on_started_leading", [&] {
    config_.callbacks.on_started_leading(Term(std::shared_ptr<const TermState>(term)));
  });
  if (!returned && config_.work_failure == LeaderElectionConfig::WorkFailure::kStepDown) {
    driver_->Post([this, term](Election& election, Instant at) {
      if (term_ != term) return election.HandleTime(at);
      return election.Resign(at, Election::Resignation::kStepDown, true);
    });
  }
  driver_->WorkReturned();
  const std::lock_guard lock(mutex_);
  --works_;
  given_up_ = given_up_ && works_ > 0;
  changed_.notify_all();
}

void Candidacy::EndTerm(const std::shared_ptr<TermState>& term) {
  term->RequestStop();
  if (term->TellEnd() && config_.callbacks.on_stopped_leading)
    Call("on_stopped_leading", config_.callbacks.on_stopped_leading);
  const std::lock_guard lock(mutex_);
  --endings_;
  changed_.notify_all();
}

// Who waits and who asks.

bool Candidacy::InCallback() const { return observers_.IsCurrent() || lifecycle_.IsCurrent() || work_.IsCurrent(); }

bool Candidacy::AtRest() const { return mode_ == Mode::kNone && endings_ == 0 && (works_ == 0 || given_up_); }

void Candidacy::AwaitRest() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return AtRest(); });
}

std::optional<Term> Candidacy::CurrentTerm() const {
  const std::lock_guard lock(mutex_);
  if (!shown_) return std::nullopt;
  return Term(shown_);
}

Status Candidacy::Check(milliseconds tolerance) const {
  const std::lock_guard lock(mutex_);
  const bool acts = shown_ != nullptr || works_ > 0;
  if (!acts || clock_->Now() <= acts_until_ + tolerance) return std::monostate();
  return {ErrorCode::kTimeout, "failed election to renew leadership on lease " + config_.name};
}

Health Candidacy::GetHealth() const {
  if (const Status status = Check(milliseconds(0)); !status.ok()) {
    return {Health::State::kError, "the work of a term that is over still runs"};
  }
  if (IsLeader()) return {Health::State::kLeader, ""};
  const std::lock_guard lock(mutex_);
  if (mode_ != Mode::kNone && failure_ && clock_->Now() - answered_at_ > config_.renew_deadline) {
    return {Health::State::kError, failure_->message};
  }
  return {Health::State::kFollower, ""};
}

}  // namespace leaderelection

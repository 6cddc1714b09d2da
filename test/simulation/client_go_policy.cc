#include "simulation/client_go_policy.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "simulation/random.h"

namespace leaderelection::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kJitterFactor = 1.2;

// What a GET is compared by: the record as JSON, whose times are whole seconds.
bool SameRaw(const Record& a, const Record& b) {
  const auto whole = [](WallTime time) { return std::chrono::floor<seconds>(time); };
  return a.holder_identity == b.holder_identity && a.lease_duration == b.lease_duration &&
         a.transitions == b.transitions && whole(a.acquire_time) == whole(b.acquire_time) &&
         whole(a.renew_time) == whole(b.renew_time);
}

class ClientGoPolicy final : public Policy, public std::enable_shared_from_this<ClientGoPolicy> {
 public:
  explicit ClientGoPolicy(Means means)
      : means_(std::move(means)),
        random_(means_.settings.seed),
        release_on_cancel_(random_.Chance(0.5)),
        request_timeout_(means_.settings.renew_deadline / 2) {}

  void Stand(Standing how) override {
    if (how == Standing::kObserving || state_ != State::kIdle) return;
    state_ = State::kAcquiring;
    cancelled_ = false;
    Later(milliseconds(0), [this] { Acquire(); });
  }

  void Resign(Election::Resignation, bool) override {
    Later(milliseconds(0), [this] { Cancel(); });
  }
  void StartWork() override { means_.program->OnWorkStarts(); }
  void WorkReturned() override {}
  bool Releases() const override { return release_on_cancel_; }
  bool AskLeads() override { return leads_; }
  bool Leads() const override { return leads_ && !means_.executor->paused(); }

 private:
  enum class State { kIdle, kAcquiring, kRenewing, kReleasing };
  using Then = std::function<void(bool)>;
  using OnReply = std::function<void(Result<Stored>)>;

  [[nodiscard]] MonotonicTime Now() const { return means_.clock->Awake(); }
  [[nodiscard]] bool IsLeader() const { return observed_ && observed_->holder_identity == means_.settings.identity; }
  [[nodiscard]] bool IsLeaseValid(MonotonicTime now) const {
    return observed_ && observed_time_ + observed_->lease_duration > now;
  }
  void SetObserved(const Record& record) {
    observed_ = record;
    observed_time_ = Now();
  }

  void Later(std::chrono::nanoseconds delay, std::function<void()> action) {
    means_.executor->PostAt(means_.executor->Now() + delay,
                            [weak = weak_from_this(), run = run_, action = std::move(action)] {
                              const auto self = weak.lock();
                              if (self && self->run_ == run) action();
                            });
  }

  // One request, cut off by the client's time-out and by the end of the context it is made in.
  void Ask(std::function<void(MonotonicTime, Done<Stored>)> send, OnReply on_reply) {
    const std::uint64_t request = ++request_;
    const auto answer = std::make_shared<OnReply>(std::move(on_reply));
    const MonotonicTime deadline = std::min(means_.executor->Now() + request_timeout_, context_ends_);
    const auto settle = [weak = weak_from_this(), request, run = run_, answer](Result<Stored> reply) {
      const auto self = weak.lock();
      if (!self || self->run_ != run || self->request_ != request) return;
      ++self->request_;
      (*answer)(std::move(reply));
    };
    send(deadline, Done<Stored>([weak = weak_from_this(), settle](Result<Stored> reply) {
           const auto self = weak.lock();
           if (!self) return;
           auto shared = std::make_shared<Result<Stored>>(std::move(reply));
           self->means_.executor->Post([settle, shared] { settle(std::move(*shared)); });
         }));
    means_.executor->PostAt(deadline, [settle] { settle(Result<Stored>(ErrorCode::kTimeout, "time-out")); });
  }
  void Get(OnReply on_reply) {
    Ask([this](MonotonicTime deadline, Done<Stored> done) { means_.lock->Get(deadline, std::move(done)); },
        [this, on_reply = std::move(on_reply)](Result<Stored> reply) {
          if (reply.ok()) cached_ = reply->version;
          on_reply(std::move(reply));
        });
  }
  void Write(const Record& record, bool create, Then then) {
    Ask(
        [this, record, create](MonotonicTime deadline, Done<Stored> done) {
          create ? means_.lock->Create(deadline, record, std::move(done))
                 : means_.lock->Update(deadline, record, cached_, std::move(done));
        },
        [this, record, then = std::move(then)](Result<Stored> reply) {
          if (reply.ok()) {
            cached_ = reply->version;
            SetObserved(record);
          }
          then(reply.ok());
        });
  }

  void Acquire() {
    if (cancelled_) return Finish();
    context_ends_ = kNever;
    TryAcquireOrRenew([this](bool acquired) {
      if (cancelled_) return Finish();
      if (!acquired) {
        const auto wait = means_.settings.retry_period * (1 + kJitterFactor * random_.Fraction());
        return Later(std::chrono::duration_cast<std::chrono::nanoseconds>(wait), [this] { Acquire(); });
      }
      state_ = State::kRenewing;
      leads_ = true;
      means_.program->OnTermStarted(cached_.order);
      BeginPoll();
    });
  }

  void BeginPoll() {
    context_ends_ = means_.executor->Now() + means_.settings.renew_deadline;
    next_tick_ = means_.executor->Now();
    Poll();
  }

  void Poll() {
    if (cancelled_) return EndRenewing();
    next_tick_ += means_.settings.retry_period;
    TryAcquireOrRenew([this](bool renewed) {
      if (cancelled_) return EndRenewing();
      if (renewed) return Later(means_.settings.retry_period, [this] { AfterWait(); });
      const MonotonicTime now = means_.executor->Now();
      if (now >= context_ends_) return EndRenewing();
      const MonotonicTime next = std::min(std::max(next_tick_, now), context_ends_);
      Later(next - now, [this] {
        if (means_.executor->Now() >= context_ends_) return EndRenewing();
        Poll();
      });
    });
  }
  void AfterWait() {
    if (cancelled_) return EndRenewing();
    BeginPoll();
  }

  void TryAcquireOrRenew(Then then) {
    const MonotonicTime now = Now();
    Record record = Candidacy();
    if (!IsLeader() || !IsLeaseValid(now)) return SlowPath(now, record, std::move(then));
    record.acquire_time = observed_->acquire_time;
    record.transitions = observed_->transitions;
    Write(record, false, [this, now, record, then = std::move(then)](bool written) {
      if (written) return then(true);
      SlowPath(now, record, then);
    });
  }

  void SlowPath(MonotonicTime now, Record record, Then then) {
    Get([this, now, record, then = std::move(then)](Result<Stored> reply) mutable {
      if (!reply.ok()) {
        if (reply.error().code != ErrorCode::kNotFound) return then(false);
        return Write(record, true, std::move(then));
      }
      if (!observed_raw_ || !SameRaw(*observed_raw_, reply->record)) {
        SetObserved(reply->record);
        observed_raw_ = reply->record;
      }
      if (!reply->record.holder_identity.empty() && IsLeaseValid(now) && !IsLeader()) return then(false);
      if (IsLeader()) {
        record.acquire_time = reply->record.acquire_time;
        record.transitions = reply->record.transitions;
      } else {
        record.transitions = reply->record.transitions + 1;
      }
      Write(record, false, std::move(then));
    });
  }

  [[nodiscard]] Record Candidacy() const {
    const WallTime now = means_.clock->WallNow();
    return Record{.holder_identity = means_.settings.identity,
                  .lease_duration = std::chrono::floor<seconds>(means_.settings.lease_duration),
                  .acquire_time = now,
                  .renew_time = now};
  }

  // The context of the work ends with the one that is cancelled, a request under way too.
  void Cancel() {
    if (state_ == State::kIdle || std::exchange(cancelled_, true)) return;
    ++request_;
    ++run_;
    if (state_ == State::kAcquiring) return Finish();
    if (state_ != State::kRenewing) return;
    leads_ = false;
    means_.program->OnWorkMustStop();
    EndRenewing();
  }

  // After a failure the work hears of it only once the release is over.
  void EndRenewing() {
    state_ = State::kReleasing;
    ++run_;
    if (!release_on_cancel_) return Stopped();
    context_ends_ = means_.executor->Now() + means_.settings.renew_deadline;
    TryRelease();
  }

  // The holder read is not compared with our own name.
  void TryRelease() {
    Get([this](Result<Stored> reply) {
      if (!reply.ok() || !IsLeader()) return Stopped();
      const WallTime now = means_.clock->WallNow();
      const Record released{.holder_identity = "",
                            .lease_duration = seconds(1),
                            .acquire_time = now,
                            .renew_time = now,
                            .transitions = reply->record.transitions};
      Ask([this, released](MonotonicTime deadline,
                           Done<Stored> done) { means_.lock->Update(deadline, released, cached_, std::move(done)); },
          [this, released](Result<Stored> written) {
            if (written.ok()) SetObserved(released);
            if (!written.ok() && written.error().code == ErrorCode::kConflict) return TryRelease();
            Stopped();
          });
    });
  }

  void Stopped() {
    leads_ = false;
    means_.program->OnTermEnded();
    Finish();
  }

  void Finish() {
    ++run_;
    state_ = State::kIdle;
    means_.program->OnIdle();
  }

  const Means means_;
  Random random_;
  const bool release_on_cancel_;
  const milliseconds request_timeout_;
  State state_ = State::kIdle;
  bool cancelled_ = false;
  bool leads_ = false;
  std::uint64_t run_ = 0;      // what belongs to an earlier one does not happen
  std::uint64_t request_ = 0;  // only the present one's answer counts
  MonotonicTime context_ends_ = kNever;
  MonotonicTime next_tick_;
  Version cached_;  // of the object the lock keeps
  std::optional<Record> observed_;
  std::optional<Record> observed_raw_;
  MonotonicTime observed_time_;
};

// Continuations refer weakly to the policy, so that it may go while they are under way.
class SharedPolicy final : public Policy {
 public:
  explicit SharedPolicy(Means means) : policy_(std::make_shared<ClientGoPolicy>(std::move(means))) {}
  void Stand(Standing how) override { policy_->Stand(how); }
  void Resign(Election::Resignation how, bool release) override { policy_->Resign(how, release); }
  void StartWork() override { policy_->StartWork(); }
  void WorkReturned() override { policy_->WorkReturned(); }
  bool Releases() const override { return policy_->Releases(); }
  bool AskLeads() override { return policy_->AskLeads(); }
  bool Leads() const override { return policy_->Leads(); }

 private:
  const std::shared_ptr<ClientGoPolicy> policy_;
};

}  // namespace

std::unique_ptr<Policy> MakeClientGoPolicy(Means means) { return std::make_unique<SharedPolicy>(std::move(means)); }

}  // namespace leaderelection::simulation

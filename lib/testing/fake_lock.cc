#include "leaderelection/testing/fake_lock.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "core/watchers.h"

namespace leaderelection::testing {
namespace {

struct Fault {
  std::optional<Verb> verb;  // none: any
  std::optional<Error> error;
  bool after_commit = false;
  std::function<void(Stored&)> change;
};

// A request from its arrival until it is answered.
struct Request {
  Call call;
  Record storable;
  Done<Stored> done;
  std::optional<Result<Stored>> reply;  // once it is carried out
  std::function<void(Stored&)> change;
};

void Deliver(Request request) {
  Result<Stored> reply = *std::move(request.reply);
  if (reply && request.change) {
    Stored changed = *reply;
    request.change(changed);
    reply = std::move(changed);
  }
  std::move(request.done)(std::move(reply));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return out << "Get";
    case Verb::kCreate:
      return out << "Create";
    case Verb::kUpdate:
      return out << "Update";
  }
  return out << "?";
}

std::ostream& operator<<(std::ostream& out, const Call& call) {
  out << call.verb;
  if (call.verb == Verb::kGet) return out;
  out << "(holder \"" << call.record.holder_identity << '"';
  if (call.verb == Verb::kUpdate) out << ", expected " << call.expected;
  return out << ')';
}

// What is decided is decided under the mutex; callbacks run without it, and nothing of the lock is touched after them.
class FakeLock::Script {
 public:
  explicit Script(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  void Accept(Call call, Done<Stored> done) {
    Request request{.call = call, .storable = Storable(call.record), .done = std::move(done)};
    {
      std::lock_guard lock(mutex_);
      calls_.push_back(std::move(call));
      if (holding_) {
        held_.push_back(std::move(request));
        return;
      }
      CarryOut(request);
    }
    watchers_.Deliver();
    Deliver(std::move(request));
  }

  std::vector<Call> TakeCalls() {
    std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

  void Add(Fault fault) {
    std::lock_guard lock(mutex_);
    faults_.push_back(std::move(fault));
  }

  void FailEvery(ErrorCode code) {
    std::lock_guard lock(mutex_);
    every_ = code;
  }

  void Recover() {
    std::lock_guard lock(mutex_);
    faults_.clear();
    every_.reset();
  }

  void Hold() {
    std::lock_guard lock(mutex_);
    holding_ = true;
  }

  std::size_t held() {
    std::lock_guard lock(mutex_);
    return held_.size();
  }

  void Commit(std::size_t number) {
    {
      std::lock_guard lock(mutex_);
      CarryOut(held_.at(number));
    }
    watchers_.Deliver();
  }

  void Answer(std::size_t number) {
    std::optional<Request> request;
    {
      std::lock_guard lock(mutex_);
      request = TakeHeld(number);
      CarryOut(*request);
    }
    watchers_.Deliver();
    Deliver(*std::move(request));
  }

  void AnswerWith(Error error, std::size_t number) { TakeHeldDone(number)(std::move(error)); }

  void Drop(std::size_t number) { Done<Stored> dropped = TakeHeldDone(number); }

  void Resume() {
    std::deque<Request> requests;
    {
      std::lock_guard lock(mutex_);
      holding_ = false;
      requests.swap(held_);
      for (Request& request : requests) CarryOut(request);
    }
    watchers_.Deliver();
    for (Request& request : requests) Deliver(std::move(request));
  }

  std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) {
    std::unique_lock lock(mutex_);
    if (watching_ == Watching::kAbsent) return nullptr;
    if (watching_ == Watching::kRefused) {
      lock.unlock();
      return Refuse(std::move(on_event));
    }
    auto watch = watchers_.Add(std::move(on_event), {.kind = WatchEvent::Kind::kLive});
    lock.unlock();
    watchers_.Deliver();
    return watch;
  }

  void SetWatching(Watching watching) {
    std::lock_guard lock(mutex_);
    watching_ = watching;
  }

  void Push(const WatchEvent& event) {
    {
      std::lock_guard lock(mutex_);
      watchers_.Enqueue(event);
    }
    watchers_.Deliver();
  }

  std::size_t watches() { return watchers_.size(); }

  std::optional<Stored> stored() {
    std::lock_guard lock(mutex_);
    return stored_;
  }

  Stored Put(const Record& record) {
    std::optional<Stored> written;
    {
      std::lock_guard lock(mutex_);
      written = Write(record);
    }
    watchers_.Deliver();
    return *written;
  }

  void Delete() {
    {
      std::lock_guard lock(mutex_);
      if (!stored_) return;
      stored_.reset();
      Tell({.kind = WatchEvent::Kind::kDeleted, .stored = {.version = {.order = ++last_order_}}});
    }
    watchers_.Deliver();
  }

  void RollBack(std::optional<Stored> to, std::uint64_t order) {
    std::lock_guard lock(mutex_);
    stored_ = std::move(to);
    last_order_ = order;
  }

  Record Storable(Record record) {
    std::function<Record(Record)> storable;
    {
      std::lock_guard lock(mutex_);
      storable = storable_;
    }
    return storable ? storable(std::move(record)) : record;
  }

  void SetStorable(std::function<Record(Record)> storable) {
    std::lock_guard lock(mutex_);
    storable_ = std::move(storable);
  }

  void SetExpiresIn(std::optional<std::chrono::milliseconds> expires_in) {
    std::lock_guard lock(mutex_);
    expires_in_ = expires_in;
  }

  void SetReleaseSpread(std::chrono::milliseconds spread) {
    std::lock_guard lock(mutex_);
    release_spread_ = spread;
  }

  std::chrono::milliseconds release_spread() {
    std::lock_guard lock(mutex_);
    return release_spread_;
  }

 private:
  void CarryOut(Request& request) {
    if (request.reply) return;
    Fault fault = TakeFault(request.call.verb);
    if (fault.error && !fault.after_commit) {
      request.reply = *fault.error;
      return;
    }
    request.reply = Apply(request);
    if (fault.error) request.reply = *fault.error;
    request.change = std::move(fault.change);
  }

  Fault TakeFault(Verb verb) {
    const auto fault =
        std::find_if(faults_.begin(), faults_.end(), [verb](const Fault& f) { return f.verb.value_or(verb) == verb; });
    if (fault != faults_.end()) {
      Fault taken = std::move(*fault);
      faults_.erase(fault);
      return taken;
    }
    if (every_) return {.error = Error{*every_, "every request fails", std::nullopt}};
    return {};
  }

  Result<Stored> Apply(const Request& request) {
    if (request.call.verb == Verb::kCreate) {
      if (stored_) return {ErrorCode::kAlreadyExists, "there is a record already"};
      return Write(request.storable);
    }
    if (!stored_) return {ErrorCode::kNotFound, "there is no record"};
    if (request.call.verb == Verb::kGet) return AsToldNow();
    if (stored_->version.order != request.call.expected) return {ErrorCode::kConflict, "the record has changed"};
    return Write(request.storable);
  }

  Stored Write(const Record& record) {
    stored_ = Stored{.record = record, .version = {.order = ++last_order_}};
    Tell({.kind = WatchEvent::Kind::kChanged, .stored = AsToldNow()});
    return AsToldNow();
  }

  Stored AsToldNow() const {
    Stored told = *stored_;
    told.expires_in = expires_in_;
    return told;
  }

  void Tell(const WatchEvent& event) {
    if (watching_ != Watching::kSilent) watchers_.Enqueue(event);
  }

  Request TakeHeld(std::size_t number) {
    Request request = std::move(held_.at(number));
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(number));
    return request;
  }

  Done<Stored> TakeHeldDone(std::size_t number) {
    std::lock_guard lock(mutex_);
    return TakeHeld(number).done;
  }

  static std::unique_ptr<Watch> Refuse(std::function<void(WatchEvent)> on_event) {
    Watchers refused;
    auto watch = refused.Add(std::move(on_event), {.kind = WatchEvent::Kind::kRefused,
                                                   .error = {ErrorCode::kDenied, "watches are refused", std::nullopt}});
    refused.Deliver();
    return watch;
  }

  const std::string name_;
  Watchers watchers_;
  std::mutex mutex_;  // guards all that follows, and the order of the events
  std::vector<Call> calls_;
  std::deque<Fault> faults_;
  std::optional<ErrorCode> every_;
  bool holding_ = false;
  std::deque<Request> held_;
  Watching watching_ = Watching::kTelling;
  std::optional<Stored> stored_;
  std::uint64_t last_order_ = 0;
  std::function<Record(Record)> storable_;
  std::optional<std::chrono::milliseconds> expires_in_;
  std::chrono::milliseconds release_spread_{0};
};

FakeLock::FakeLock(std::string name) : script_(std::make_shared<Script>(std::move(name))) {}
FakeLock::~FakeLock() = default;

// A callback may drop the last reference to the lock, so what runs callbacks holds a share of the script.

void FakeLock::Get(MonotonicTime deadline, Done<Stored> done) {
  const auto script = script_;
  script->Accept({.verb = Verb::kGet, .deadline = deadline}, std::move(done));
}

void FakeLock::Create(MonotonicTime deadline, const Record& record, Done<Stored> done) {
  const auto script = script_;
  script->Accept({.verb = Verb::kCreate, .record = record, .deadline = deadline}, std::move(done));
}

void FakeLock::Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) {
  const auto script = script_;
  script->Accept({.verb = Verb::kUpdate, .record = record, .expected = expected.order, .deadline = deadline},
                 std::move(done));
}

std::unique_ptr<Watch> FakeLock::Observe(std::function<void(WatchEvent)> on_event) {
  const auto script = script_;
  return script->Observe(std::move(on_event));
}

Record FakeLock::Storable(Record record) const { return script_->Storable(std::move(record)); }
std::chrono::milliseconds FakeLock::ReleaseSpread() const { return script_->release_spread(); }
std::string FakeLock::Describe() const { return script_->name(); }

std::vector<Call> FakeLock::TakeCalls() { return script_->TakeCalls(); }

void FakeLock::FailNext(Error error, std::optional<Verb> verb) {
  script_->Add({.verb = verb, .error = std::move(error)});
}

void FakeLock::FailNext(ErrorCode code, std::optional<Verb> verb) {
  FailNext(Error{code, "a scripted failure", std::nullopt}, verb);
}

void FakeLock::FailNextAfterCommit(Error error, std::optional<Verb> verb) {
  script_->Add({.verb = verb, .error = std::move(error), .after_commit = true});
}

void FakeLock::FailNextAfterCommit(ErrorCode code, std::optional<Verb> verb) {
  FailNextAfterCommit(Error{code, "a scripted failure after the commit", std::nullopt}, verb);
}

void FakeLock::ChangeNextReply(std::function<void(Stored&)> change, std::optional<Verb> verb) {
  script_->Add({.verb = verb, .change = std::move(change)});
}

void FakeLock::FailEvery(ErrorCode code) { script_->FailEvery(code); }
void FakeLock::Recover() { script_->Recover(); }

void FakeLock::Hold() { script_->Hold(); }
std::size_t FakeLock::held() const { return script_->held(); }

void FakeLock::Commit(std::size_t request) {
  const auto script = script_;
  script->Commit(request);
}

void FakeLock::Answer(std::size_t request) {
  const auto script = script_;
  script->Answer(request);
}

void FakeLock::AnswerWith(Error error, std::size_t request) {
  const auto script = script_;
  script->AnswerWith(std::move(error), request);
}

void FakeLock::AnswerWith(ErrorCode code, std::size_t request) {
  AnswerWith(Error{code, "a scripted answer", std::nullopt}, request);
}

void FakeLock::Drop(std::size_t request) {
  const auto script = script_;
  script->Drop(request);
}

void FakeLock::Resume() {
  const auto script = script_;
  script->Resume();
}

void FakeLock::SetWatching(Watching watching) { script_->SetWatching(watching); }

void FakeLock::Push(const WatchEvent& event) {
  const auto script = script_;
  script->Push(event);
}

std::size_t FakeLock::watches() const { return script_->watches(); }

std::optional<Stored> FakeLock::stored() const { return script_->stored(); }

Stored FakeLock::Put(const Record& record) {
  const auto script = script_;
  return script->Put(record);
}

void FakeLock::Delete() {
  const auto script = script_;
  script->Delete();
}

void FakeLock::RollBack(const Stored& to) { script_->RollBack(to, to.version.order); }
void FakeLock::RollBack(std::uint64_t order) { script_->RollBack(std::nullopt, order); }

void FakeLock::SetStorable(std::function<Record(Record)> storable) { script_->SetStorable(std::move(storable)); }
void FakeLock::SetExpiresIn(std::optional<std::chrono::milliseconds> expires_in) { script_->SetExpiresIn(expires_in); }
void FakeLock::SetReleaseSpread(std::chrono::milliseconds spread) { script_->SetReleaseSpread(spread); }

}  // namespace leaderelection::testing

#include "core/election_driver.h"

#include <utility>

namespace leaderelection {

ElectionDriver::ElectionDriver(ElectionSettings settings, std::shared_ptr<ResourceLock> lock,
                               std::shared_ptr<Executor> executor, std::shared_ptr<Validity> validity,
                               Listener listener)
    : executor_(std::move(executor)),
      lock_(std::move(lock)),
      validity_(validity),
      listener_(std::move(listener)),
      election_(std::move(settings), std::move(validity)) {}

void ElectionDriver::Stand(Election::Role role) {
  Post([role](Election& election, Instant at) { return election.Stand(at, role); });
}

void ElectionDriver::Try() {
  Post([](Election& election, Instant at) { return election.Try(at); });
}

void ElectionDriver::Resign(Election::Resignation how, bool release) {
  Post([how, release](Election& election, Instant at) { return election.Resign(at, how, release); });
}

void ElectionDriver::WorkStarted() {
  Post([](Election& election, Instant at) { return election.WorkStarted(at); });
}

void ElectionDriver::WorkReturned() {
  Post([](Election& election, Instant at) { return election.WorkReturned(at); });
}

void ElectionDriver::SetMetadata(Metadata metadata) {
  Post([metadata = std::move(metadata)](Election& election, Instant at) {
    election.SetMetadata(metadata);
    return election.HandleTime(at);
  });
}

void ElectionDriver::Close() {
  // A late answer may keep this driver alive for a moment, on a thread of the lock's: the lock must not end there.
  std::shared_ptr<ResourceLock> lock_released_here;
  std::unique_ptr<Watch> watch;
  Listener listener;
  {
    const std::lock_guard step(step_mutex_);
    closed_ = true;
    validity_->Seal();
    watch = std::move(watch_);
    lock_released_here = std::move(lock_);
    listener = std::move(listener_);
  }
  const std::lock_guard lock(executor_mutex_);
  executor_.reset();
}

std::shared_ptr<Executor> ElectionDriver::executor() const {
  const std::lock_guard lock(executor_mutex_);
  return executor_;
}

void ElectionDriver::Post(Event event) {
  const auto target = executor();
  if (!target) return;
  target->Post([weak = weak_from_this(), event = std::move(event)] {
    if (const auto self = weak.lock()) self->Step(event);
  });
}

void ElectionDriver::Step(const Event& event) {
  const std::lock_guard step(step_mutex_);
  const auto target = executor();
  if (closed_ || !target) return;
  Apply(event(election_, Instant{target->Now(), target->WallNow()}));
}

// Announcements go first: no backend can hold up a step-down.
void ElectionDriver::Apply(Output output) {
  bool idle = false;
  for (const Announcement& announcement : output.announcements) {
    idle = idle || std::holds_alternative<announce::Idle>(announcement);
    listener_(announcement);
  }
  if (idle) CloseWatch();
  if (output.request) {
    OpenWatch();
    Send(*output.request);
  }
  Arm(output.wake_at);
}

void ElectionDriver::Send(const Request& request) {
  Done<Stored> done([weak = weak_from_this(), id = request.id](Result<Stored> reply) {
    const auto self = weak.lock();
    if (!self) return;
    // Shared, because a task must be copyable and a reply is large.
    auto answer = std::make_shared<Result<Stored>>(std::move(reply));
    self->Post(
        [id, answer](Election& election, Instant at) { return election.HandleReply(at, id, std::move(*answer)); });
  });
  switch (request.verb) {
    case Verb::kGet:
      return lock_->Get(request.deadline, std::move(done));
    case Verb::kCreate:
      return lock_->Create(request.deadline, request.record, std::move(done));
    case Verb::kUpdate:
      return lock_->Update(request.deadline, request.record, request.expected, std::move(done));
  }
}

// One timer is enough: a new one is set only if it is needed earlier. One that fires early asks the election again.
void ElectionDriver::Arm(MonotonicTime wake_at) {
  if (wake_at >= armed_for_) return;
  const auto target = executor();
  if (!target) return;
  armed_for_ = wake_at;
  target->PostAt(wake_at, [weak = weak_from_this(), wake_at] {
    const auto self = weak.lock();
    if (!self) return;
    self->Step([&self, wake_at](Election& election, Instant at) {
      if (self->armed_for_ <= wake_at) self->armed_for_ = kNever;
      return election.HandleTime(at);
    });
  });
}

void ElectionDriver::OpenWatch() {
  if (watch_ || watch_refused_) return;
  watch_ = lock_->Observe([weak = weak_from_this(), number = watch_number_](WatchEvent event) {
    const auto self = weak.lock();
    if (!self) return;
    auto news = std::make_shared<WatchEvent>(std::move(event));
    self->Post([driver = self.get(), number, news](Election& election, Instant at) {
      const bool about_the_record =
          news->kind == WatchEvent::Kind::kChanged || news->kind == WatchEvent::Kind::kDeleted;
      // What an earlier watch says of itself is not true of this one: neither that it is live, nor that it is lost.
      if (number != driver->watch_number_ && !about_the_record) return election.HandleTime(at);
      return election.HandleEvent(at, *news);
    });
  });
  watch_refused_ = watch_ == nullptr;
}

void ElectionDriver::CloseWatch() {
  watch_.reset();
  ++watch_number_;
}

}  // namespace leaderelection

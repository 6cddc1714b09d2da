#include "leaderelection/memory_lock.h"

#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/watchers.h"

namespace leaderelection {

// Each change is made, and its event queued, under the mutex; Tell then runs the callbacks without it.
class MemoryLock::Register {
 public:
  explicit Register(std::string name) : name_(std::move(name)) {
    if (name_.empty()) throw std::invalid_argument("MemoryLock: the name is empty");
  }

  const std::string& name() const { return name_; }

  Result<Stored> Get() {
    std::lock_guard lock(mutex_);
    if (!stored_) return {ErrorCode::kNotFound, "there is no record"};
    return *stored_;
  }

  Result<Stored> Create(const Record& record) {
    std::lock_guard lock(mutex_);
    if (stored_) return {ErrorCode::kAlreadyExists, "there is a record already"};
    return Write(record);
  }

  Result<Stored> Update(const Record& record, const Version& expected) {
    std::lock_guard lock(mutex_);
    if (!stored_) return {ErrorCode::kNotFound, "there is no record"};
    if (stored_->version.order != expected.order) return {ErrorCode::kConflict, "the record has changed"};
    return Write(record);
  }

  void Delete() {
    std::lock_guard lock(mutex_);
    if (!stored_) return;
    stored_.reset();
    watchers_.Enqueue({.kind = WatchEvent::Kind::kDeleted, .stored = {.version = {.order = ++last_order_}}});
  }

  std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) {
    std::lock_guard lock(mutex_);
    return watchers_.Add(std::move(on_event), {.kind = WatchEvent::Kind::kLive});
  }

  void Tell() { watchers_.Deliver(); }

 private:
  const Stored& Write(const Record& record) {
    stored_ = Stored{.record = record, .version = {.order = ++last_order_}};
    watchers_.Enqueue({.kind = WatchEvent::Kind::kChanged, .stored = *stored_});
    return *stored_;
  }

  const std::string name_;
  Watchers watchers_;
  std::mutex mutex_;  // guards the record, and with it the order of the events
  std::optional<Stored> stored_;
  std::uint64_t last_order_ = 0;
};

MemoryLock::MemoryLock(std::string name) : register_(std::make_shared<Register>(std::move(name))) {}
MemoryLock::~MemoryLock() = default;

// A callback may drop the last reference to this lock, so each call holds the register itself and touches nothing of
// the lock after a callback has run.

void MemoryLock::Get(MonotonicTime /*deadline*/, Done<Stored> done) { std::move(done)(register_->Get()); }

void MemoryLock::Create(MonotonicTime /*deadline*/, const Record& record, Done<Stored> done) {
  const auto shared = register_;
  auto answer = shared->Create(record);
  shared->Tell();
  std::move(done)(std::move(answer));
}

void MemoryLock::Update(MonotonicTime /*deadline*/, const Record& record, const Version& expected, Done<Stored> done) {
  const auto shared = register_;
  auto answer = shared->Update(record, expected);
  shared->Tell();
  std::move(done)(std::move(answer));
}

std::unique_ptr<Watch> MemoryLock::Observe(std::function<void(WatchEvent)> on_event) {
  const auto shared = register_;
  auto watch = shared->Observe(std::move(on_event));
  shared->Tell();
  return watch;
}

std::string MemoryLock::Describe() const { return register_->name(); }

void MemoryLock::Delete() {
  const auto shared = register_;
  shared->Delete();
  shared->Tell();
}

}  // namespace leaderelection

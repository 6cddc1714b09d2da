// What a backend is: one record behind compare-and-swap. Memory, file, Lease, Redis and Consul locks implement it;
// blocking_lock.h makes one of three plain functions, and testing/lock_contract.h checks whether it is one.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/export.h"
#include "leaderelection/record.h"

namespace leaderelection {

// Which write a record came from.
struct Version {
  std::uint64_t order = 0;  // rises with every write, also across deletion: the write's fencing number
  std::shared_ptr<const void>
      origin;  // the backend's own: the object read, to be written back with our fields replaced
};

struct Stored {
  Record record;
  Version version;
  std::optional<std::chrono::milliseconds>
      expires_in;  // backends with expiry of their own: what the server says is left
};

// The continuation of one request: called at most once, from any thread, also before the call that got it returns.
// Dropped without a call it answers kUnknown, for the request may have landed.
template <class T>
class Done {
 public:
  using Function = std::function<void(Result<T>)>;

  Done() = default;
  explicit Done(Function function) : function_(std::move(function)) {}
  Done(Done&& other) noexcept : function_(std::exchange(other.function_, nullptr)) {}
  Done& operator=(Done&& other) noexcept {
    Done(std::move(other)).swap(*this);
    return *this;
  }
  ~Done() {
    if (function_) std::exchange(function_, nullptr)(Result<T>(ErrorCode::kUnknown, "the request was dropped"));
  }

  void operator()(Result<T> result) && {
    if (function_) std::exchange(function_, nullptr)(std::move(result));
  }

 private:
  void swap(Done& other) noexcept { function_.swap(other.function_); }

  Function function_;
};

// News of the record, as it comes.
struct WatchEvent {
  enum class Kind {
    kLive,     // from here on every change is told; what came before may have been missed
    kChanged,  // `stored` is the record now
    kDeleted,  // `stored.version.order` is the deletion's
    kLost,     // the watch broke; it is being re-made, and kLive follows
    kRefused,  // there will be no more news (`error` says why): poll
  };
  Kind kind = Kind::kLive;
  Stored stored;
  Error error;
};

// A running watch; its destructor returns after the last callback has.
class LEADERELECTION_EXPORT Watch {
 public:
  virtual ~Watch() = default;
};

// All members may be called concurrently, from any thread; none blocks or throws. A deadline is a wish that saves the
// backend useless work: whoever calls sets a timer of his own and ignores what comes later. The destructor completes
// or drops every Done it still has.
class LEADERELECTION_EXPORT ResourceLock {
 public:
  virtual ~ResourceLock() = default;

  // The record as it is now: linearizable, never from a cache. kNotFound if there is none.
  virtual void Get(MonotonicTime deadline, Done<Stored> done) = 0;
  // Stores the record if there is none, else kAlreadyExists. Answers with what is stored.
  virtual void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) = 0;
  // Replaces exactly the version expected, else kConflict (or kNotFound). Answers with what is stored.
  virtual void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) = 0;

  // Reports changes until the Watch is destroyed; null where the backend cannot, and the elector polls. Events may come
  // from any thread, one at a time, and before Observe returns. The callback does not block.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): whoever overrides it keeps the callback.
  [[nodiscard]] virtual std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> /*on_event*/) { return nullptr; }

  // The record as this backend would give it back (a Lease knows whole seconds only, rounded up). What is sent has been
  // through here, so that an answer can be compared with it.
  [[nodiscard]] virtual Record Storable(Record record) const { return record; }

  // After a release all followers want the lock at once: each waits a random time up to this first.
  [[nodiscard]] virtual std::chrono::milliseconds ReleaseSpread() const { return std::chrono::milliseconds(0); }

  // Tells people, where the backend has a place for it (a Lease: Events): "<identity> became leader". Best effort.
  virtual void RecordEvent(const std::string& /*identity*/, const std::string& /*what_happened*/) {}

  // What people call it: "default/my-operator".
  [[nodiscard]] virtual std::string Describe() const = 0;
};

}  // namespace leaderelection

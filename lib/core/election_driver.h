// Runs an Election on an executor against a lock: requests, timers, the watch. No thread of its own, no user code.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "core/announcement.h"
#include "core/election.h"
#include "leaderelection/executor.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// The members may be called from any thread; each posts its event to the executor and returns.
class ElectionDriver : public std::enable_shared_from_this<ElectionDriver> {
 public:
  // Called on the executor's thread, one at a time, until Close returns. Must not block.
  using Listener = std::function<void(const Announcement&)>;
  // What happens to the election in one step, on the executor's thread.
  using Event = std::function<Output(Election&, Instant)>;

  ElectionDriver(ElectionSettings settings, std::shared_ptr<ResourceLock> lock, std::shared_ptr<Executor> executor,
                 std::shared_ptr<Validity> validity, Listener listener);

  void Post(Event event);
  void Stand(Election::Role role);
  void Try();
  void Resign(Election::Resignation how, bool release);
  void WorkStarted();
  void WorkReturned();
  void SetMetadata(Metadata metadata);

  // After it nothing is announced or sent any more. Waits for the step that is running, never for a request.
  void Close();

 private:
  void Step(const Event& event);
  void Apply(Output output);
  void Send(const Request& request);
  void Arm(MonotonicTime wake_at);
  void OpenWatch();
  void CloseWatch();
  std::shared_ptr<Executor> executor() const;

  // An answer or a timer may come after Close, when the executor is perhaps gone: it is asked for under this mutex.
  mutable std::mutex executor_mutex_;
  std::shared_ptr<Executor> executor_;

  // Held for the length of a step. Everything below is touched only under it.
  std::mutex step_mutex_;
  bool closed_ = false;
  std::shared_ptr<ResourceLock> lock_;  // null once closed
  const std::shared_ptr<Validity> validity_;
  Listener listener_;
  Election election_;
  std::unique_ptr<Watch> watch_;
  bool watch_refused_ = false;
  std::uint64_t watch_number_ = 0;  // counts those closed
  MonotonicTime armed_for_ = kNever;
};

}  // namespace leaderelection

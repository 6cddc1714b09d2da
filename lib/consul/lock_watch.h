// Tells of changes of the key, by queries that the server answers when there is something to tell.

#pragma once

#include <functional>
#include <memory>

#include "consul/lock_requests.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection::consul {

// May be destroyed in its own callback, and outlive the lock.
class LockWatch final : public Watch {
 public:
  LockWatch(const LockRequests& lock, std::function<void(WatchEvent)> on_event);
  ~LockWatch() override;

 private:
  class Query;
  const std::shared_ptr<Transport> transport_;
  const std::shared_ptr<Query> query_;
};

}  // namespace leaderelection::consul

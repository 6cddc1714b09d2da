// The Leases of one namespace that the locks of a client observe: few with a watch each, many over one for all.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/watchers.h"
#include "kubernetes/api_client.h"
#include "kubernetes/lease_codec.h"
#include "kubernetes/stranger_count.h"
#include "kubernetes/watch_session.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// The first few have a watch of their own: it needs permission for no other Lease and brings news of no other. All
// beyond share one on the namespace, so that a thousand elections need no thousand connections. That is given up for a
// watch each where the server refuses it, or where strangers' Leases bring so much that it does not pay. Whoever shares
// is told of this as of any watch that breaks: kLost, and kLive once his own is there.
//
// Thread-safe; share it by shared_ptr.
class NamespaceWatch : public std::enable_shared_from_this<NamespaceWatch> {
 public:
  NamespaceWatch(const std::shared_ptr<ApiClient>& api, std::string name_space);

  // As ResourceLock::Observe. The Watch keeps this and the client.
  [[nodiscard]] std::unique_ptr<Watch> Observe(const std::string& name, std::function<void(WatchEvent)> on_event);

 private:
  class Subscription;
  struct Observer {
    LeaseName lease;
    std::shared_ptr<Mailbox> mailbox;
    std::shared_ptr<WatchSession> own;  // null: he shares
  };

  void Remove(const std::shared_ptr<Observer>& observer);

  // With the mutex held, but for GoAlone, which nobody waits for.
  std::shared_ptr<WatchSession> MakeOwnSession(const std::shared_ptr<Observer>& observer);
  std::shared_ptr<WatchSession> MakeSharedSession();
  void Queue(WatchNews news);
  void QueueForAll(const WatchNews& news);
  void EndSharing(std::size_t share_beyond, const char* why, const Error& error);
  void GoAlone();
  [[nodiscard]] bool IsAnyoneSharing() const;

  void Deliver();

  const std::weak_ptr<ApiClient> api_;
  const std::string name_space_;

  std::mutex mutex_;
  std::multimap<std::string, std::shared_ptr<Observer>> observers_;  // by name
  std::size_t share_beyond_;                                         // so many have a watch of their own
  std::shared_ptr<WatchSession> shared_;
  int shared_number_ = 0;  // tells the present one from those before it
  bool is_live_ = false;   // the shared one
  std::vector<std::shared_ptr<Mailbox>> told_;
  StrangerCount strangers_;  // since the shared one began
};

}  // namespace leaderelection

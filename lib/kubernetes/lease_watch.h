// One Lease, watched: a long reply of the API server, made again whenever it ends.

#pragma once

#include <functional>
#include <memory>

#include "core/watchers.h"
#include "kubernetes/api_client.h"
#include "kubernetes/lease_codec.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// Goes on from the last resourceVersion it knows, which bookmarks keep young, so that a server which ends the reply
// after its time costs neither a change nor a word. Where that is too old (410), and after every failure, it says so:
// kLost, and kLive once a new reply is there. Tries again after a growing, random time. A refusal (403) that lasts ends
// it: kRefused.
class LeaseWatch final : public Watch {
 public:
  LeaseWatch(const std::shared_ptr<ApiClient>& api, const LeaseName& lease, std::function<void(WatchEvent)> on_event);
  ~LeaseWatch() override;
  LeaseWatch(const LeaseWatch&) = delete;
  LeaseWatch& operator=(const LeaseWatch&) = delete;

 private:
  class Session;
  const std::shared_ptr<ApiClient> api_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<Session> session_;
};

}  // namespace leaderelection

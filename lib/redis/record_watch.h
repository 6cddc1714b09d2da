// Follows one election by what is published on its channel.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/watchers.h"
#include "net/timer.h"
#include "redis/record_key.h"
#include "redis/servers.h"

namespace leaderelection::redis {

// Lives on the context's thread; Stop alone may be called from any. Tells kLive once subscribed, kLost when that ends,
// and subscribes again wherever the key is then.
class RecordWatch : public std::enable_shared_from_this<RecordWatch> {
 public:
  RecordWatch(boost::asio::io_context& context, std::weak_ptr<Servers> servers, std::shared_ptr<RecordKey> key,
              std::function<void(WatchEvent)> on_event);

  void Start();
  void Stop();                              // on the thread: no more requests
  void StopTelling() { mailbox_.Close(); }  // from any: returns when no callback runs

 private:
  void Subscribe(const std::shared_ptr<Node>& node);
  void Lost(const Error& why);
  void RetryLater();
  void OnRecord(const std::string& text);
  void Look();
  void TellOf(WatchEvent::Kind kind, const Error& error);
  void Tell(WatchEvent event);

  boost::asio::io_context& context_;
  const std::weak_ptr<Servers> servers_;
  const std::shared_ptr<RecordKey> key_;
  Mailbox mailbox_;
  bool stopped_ = false;
  bool lost_told_ = false;
  std::uint64_t last_told_ = 0;  // the order of the last change
  std::weak_ptr<Node> node_;
  std::shared_ptr<Subscriber> subscriber_;
  net::Timer retry_;
};

}  // namespace leaderelection::redis

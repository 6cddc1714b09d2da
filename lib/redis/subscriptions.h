// The channels of any number of elections on one server, over one connection: RESP2 keeps a subscribed connection from
// everything else.

#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/timer.h"
#include "redis/link.h"

namespace leaderelection::redis {

// Who is told of one election. Called on the context's thread, never inside Add; each may use the Subscriptions again.
struct Subscriber {
  std::string key;
  std::function<void()> on_live;
  std::function<void(const std::string& record)> on_record;  // was published
  std::function<void()> on_touched;              // the server noted that the key was deleted, evicted or has expired
  std::function<void(const Error&)> on_lost;     // forgotten: whoever wants more adds himself again
  std::function<void(const Error&)> on_refused;  // the same, but it would be in vain
};

// Lives on the context's thread. Writers publish on the channel that is called as the key. The server's own notes of
// the key are listened to as well, where it makes them (notify-keyspace-events) and we may hear them. Asks for a sign
// of life every few seconds, for a channel may be silent for hours.
class Subscriptions : public std::enable_shared_from_this<Subscriptions> {
 public:
  Subscriptions(boost::asio::io_context& context, std::shared_ptr<Finder> finder, const LinkSettings& settings);

  void Start();  // once, before anything else
  void Add(std::shared_ptr<Subscriber> subscriber);
  void Remove(const std::shared_ptr<Subscriber>& subscriber);
  // Tells the subscribers of the key, or all, that they are not any more.
  void Drop(const std::string& key, const Error& why);
  void Reset(const Error& why) { link_->Reset(why); }
  void Close();

 private:
  struct Topic {
    std::vector<std::shared_ptr<Subscriber>> subscribers;
    int unanswered = 0;
    bool is_live = false;
  };

  void Subscribe(const std::string& key, const std::shared_ptr<Topic>& topic);
  void Answered(const std::string& key, const std::shared_ptr<Topic>& topic);
  void Refused(const std::string& key, const std::shared_ptr<Topic>& topic, const Error& why);
  void Unsubscribe(const std::string& key);
  void OnUp();
  void OnDown(const Error& why);
  void OnMessage(const Reply& message);
  void PingLater();
  void Send(Command command, std::function<void(const Reply&)> on_reply);
  [[nodiscard]] std::string NotesOf(const std::string& key) const;

  boost::asio::io_context& context_;
  const std::shared_ptr<Finder> finder_;
  const LinkSettings settings_;
  std::shared_ptr<Link> link_;
  std::map<std::string, std::shared_ptr<Topic>> topics_;
  net::Timer ping_timer_;
};

}  // namespace leaderelection::redis

#include "redis/subscriptions.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "redis/refusal.h"

namespace leaderelection::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kPingInterval = 5s;
constexpr auto kAnswerDeadline = 5s;

// What the server calls the ends of a key.
bool IsEnd(const std::string& note) {
  return note == "del" || note == "expired" || note == "evicted" || note == "rename_from";
}

}  // namespace

Subscriptions::Subscriptions(boost::asio::io_context& context, std::shared_ptr<Finder> finder,
                             const LinkSettings& settings)
    : context_(context), finder_(std::move(finder)), settings_(settings), ping_timer_(context) {}

void Subscriptions::Start() {
  const auto weak = weak_from_this();
  link_ = std::make_shared<Link>(context_, finder_, settings_,
                                 LinkEvents{.on_up =
                                                [weak] {
                                                  if (const auto self = weak.lock()) self->OnUp();
                                                },
                                            .on_down =
                                                [weak](const Error& why) {
                                                  if (const auto self = weak.lock()) self->OnDown(why);
                                                },
                                            .on_message =
                                                [weak](const Reply& message) {
                                                  if (const auto self = weak.lock()) self->OnMessage(message);
                                                }});
}

std::string Subscriptions::NotesOf(const std::string& key) const {
  return "__keyspace@" + std::to_string(settings_.login.database) + "__:" + key;
}

void Subscriptions::Add(std::shared_ptr<Subscriber> subscriber) {
  const std::string key = subscriber->key;
  auto& topic = topics_[key];
  const bool is_new = !topic;
  if (is_new) topic = std::make_shared<Topic>();
  topic->subscribers.push_back(subscriber);
  if (topic->is_live) {
    boost::asio::post(context_, [weak = weak_from_this(), weak_topic = std::weak_ptr(topic), subscriber] {
      const auto known = weak_topic.lock();
      if (!weak.lock() || !known || !known->is_live) return;
      for (const auto& present : known->subscribers) {
        if (present == subscriber) return subscriber->on_live();
      }
    });
  }
  if (is_new && link_->is_up()) Subscribe(key, topic);
  link_->KeepUp(true);
}

void Subscriptions::Remove(const std::shared_ptr<Subscriber>& subscriber) {
  const auto found = topics_.find(subscriber->key);
  if (found == topics_.end() || std::erase(found->second->subscribers, subscriber) == 0) return;
  if (!found->second->subscribers.empty()) return;
  topics_.erase(found);
  Unsubscribe(subscriber->key);
}

void Subscriptions::Drop(const std::string& key, const Error& why) {
  const auto found = topics_.find(key);
  if (found == topics_.end()) return;
  const auto topic = found->second;
  topics_.erase(found);
  Unsubscribe(key);
  for (const auto& subscriber : std::exchange(topic->subscribers, {})) subscriber->on_lost(why);
}

void Subscriptions::Close() {
  ping_timer_.cancel();
  topics_.clear();
  link_->Close();
}

void Subscriptions::OnUp() {
  const auto self = shared_from_this();
  for (const auto& [key, topic] : topics_) Subscribe(key, topic);
  PingLater();
}

void Subscriptions::OnDown(const Error& why) {
  const auto self = shared_from_this();
  ping_timer_.cancel();
  link_->KeepUp(false);
  for (const auto& [key, topic] : std::exchange(topics_, {})) {
    topic->is_live = false;
    for (const auto& subscriber : std::exchange(topic->subscribers, {})) subscriber->on_lost(why);
  }
}

void Subscriptions::Subscribe(const std::string& key, const std::shared_ptr<Topic>& topic) {
  topic->unanswered = 2;
  const auto weak = weak_from_this();
  Send({"SUBSCRIBE", key}, [weak, key, topic](const Reply& reply) {
    const auto self = weak.lock();
    if (!self) return;
    if (reply.IsError()) return self->Refused(key, topic, Refusal(reply, "SUBSCRIBE"));
    self->Answered(key, topic);
  });
  // These are a bonus, so their refusal is no refusal.
  Send({"SUBSCRIBE", NotesOf(key)}, [weak, key, topic](const Reply&) {
    if (const auto self = weak.lock()) self->Answered(key, topic);
  });
}

void Subscriptions::Answered(const std::string& key, const std::shared_ptr<Topic>& topic) {
  const auto found = topics_.find(key);
  if (--topic->unanswered > 0 || found == topics_.end() || found->second != topic) return;
  topic->is_live = true;
  const auto subscribers = topic->subscribers;
  for (const auto& subscriber : subscribers) subscriber->on_live();
}

void Subscriptions::Refused(const std::string& key, const std::shared_ptr<Topic>& topic, const Error& why) {
  const auto found = topics_.find(key);
  if (found == topics_.end() || found->second != topic) return;
  topics_.erase(found);
  Unsubscribe(key);
  for (const auto& subscriber : std::exchange(topic->subscribers, {})) subscriber->on_refused(why);
}

void Subscriptions::Unsubscribe(const std::string& key) {
  if (!link_->is_up()) return;
  Send({"UNSUBSCRIBE", key}, [](const Reply&) {});
  Send({"UNSUBSCRIBE", NotesOf(key)}, [](const Reply&) {});
}

void Subscriptions::OnMessage(const Reply& message) {
  const std::string& channel = message.elements[1].text;
  const std::string& content = message.elements[2].text;
  const bool is_note = channel.starts_with("__keyspace@");
  if (is_note && !IsEnd(content)) return;
  const auto found = topics_.find(is_note ? channel.substr(NotesOf("").size()) : channel);
  if (found == topics_.end()) return;
  const auto subscribers = found->second->subscribers;
  for (const auto& subscriber : subscribers) is_note ? subscriber->on_touched() : subscriber->on_record(content);
}

void Subscriptions::PingLater() {
  ping_timer_.expires_after(kPingInterval);
  ping_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto self = weak.lock();
    if (cancelled || !self || !self->link_->is_up()) return;
    self->Send({"PING"}, [](const Reply&) {});
    self->PingLater();
  });
}

// No answer in time means that the link is reset, and OnDown tells of that.
void Subscriptions::Send(Command command, std::function<void(const Reply&)> on_reply) {
  link_->Send({std::make_shared<Request>(context_, std::move(command), BootClock::now() + kAnswerDeadline,
                                         [on_reply = std::move(on_reply)](const Result<Reply>& reply) {
                                           if (reply) on_reply(*reply);
                                         })});
}

}  // namespace leaderelection::redis

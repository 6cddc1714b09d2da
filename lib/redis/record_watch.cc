#include "redis/record_watch.h"

#include <chrono>
#include <utility>

namespace leaderelection::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kLocateDeadline = 5s;
constexpr auto kRetry = 200ms;

}  // namespace

RecordWatch::RecordWatch(boost::asio::io_context& context, std::weak_ptr<Servers> servers,
                         std::shared_ptr<RecordKey> key, std::function<void(WatchEvent)> on_event)
    : context_(context),
      servers_(std::move(servers)),
      key_(std::move(key)),
      mailbox_(std::move(on_event)),
      retry_(context) {}

void RecordWatch::Start() {
  const auto servers = servers_.lock();
  if (stopped_ || !servers) return;
  servers->Locate(key_->key(), BootClock::now() + kLocateDeadline,
                  [weak = weak_from_this()](const Result<std::shared_ptr<Node>>& node) {
                    const auto self = weak.lock();
                    if (!self || self->stopped_) return;
                    if (node) return self->Subscribe(*node);
                    self->Lost(node.error());
                  });
}

void RecordWatch::Stop() {
  stopped_ = true;
  retry_.cancel();
  const auto node = node_.lock();
  if (node && subscriber_) node->subscriptions().Remove(subscriber_);
  subscriber_.reset();
}

void RecordWatch::Subscribe(const std::shared_ptr<Node>& node) {
  // Runs the callback if the watch is still there.
  const auto guarded = [weak = weak_from_this()](auto callback) {
    return [weak, callback](const auto&... arguments) {
      const auto self = weak.lock();
      if (self && !self->stopped_) callback(*self, arguments...);
    };
  };
  node_ = node;
  subscriber_ = std::make_shared<Subscriber>(Subscriber{
      .key = key_->key(),
      .on_live = guarded([](RecordWatch& self) {
        self.lost_told_ = false;
        self.TellOf(WatchEvent::Kind::kLive, {});
      }),
      .on_record = guarded([](RecordWatch& self, const std::string& text) { self.OnRecord(text); }),
      .on_touched = guarded([](RecordWatch& self) { self.Look(); }),
      .on_lost = guarded([](RecordWatch& self, const Error& why) { self.Lost(why); }),
      .on_refused = guarded([](RecordWatch& self, const Error& why) {
        self.TellOf(WatchEvent::Kind::kRefused, why);
        self.Stop();
      }),
  });
  node->subscriptions().Add(subscriber_);
}

void RecordWatch::Lost(const Error& why) {
  subscriber_.reset();
  if (!std::exchange(lost_told_, true)) TellOf(WatchEvent::Kind::kLost, why);
  if (!stopped_) RetryLater();
}

void RecordWatch::RetryLater() {
  retry_.expires_after(kRetry);
  retry_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto self = weak.lock();
    if (!cancelled && self) self->Start();
  });
}

// What is published may come from anyone who is let: what is no record tells nothing.
void RecordWatch::OnRecord(const std::string& text) {
  auto stored = key_->ReadRecord(text);
  if (!stored) return;
  WatchEvent event;
  event.kind = WatchEvent::Kind::kChanged;
  event.stored = std::move(stored).value();
  last_told_ = event.stored.version.order;
  Tell(std::move(event));
}

// The note does not say what is there now, so a look has to. Its answer may be overtaken by a record that was written
// since, and is then dropped.
void RecordWatch::Look() {
  const auto servers = servers_.lock();
  if (!servers) return;
  const std::uint64_t deletion = key_->highest_seen() + 1;
  servers->Run(std::make_shared<const ScriptCall>(key_->GetCall()), BootClock::now() + kLocateDeadline,
               [weak = weak_from_this(), deletion](const Result<Reply>& reply) {
                 const auto self = weak.lock();
                 if (!self || self->stopped_) return;
                 const auto got = self->key_->ReadGot(reply);
                 if (got || got.error().code != ErrorCode::kNotFound || self->last_told_ >= deletion) return;
                 self->last_told_ = deletion;
                 WatchEvent event;
                 event.kind = WatchEvent::Kind::kDeleted;
                 event.stored.version.order = deletion;
                 self->Tell(std::move(event));
               });
}

void RecordWatch::TellOf(WatchEvent::Kind kind, const Error& error) {
  WatchEvent event;
  event.kind = kind;
  event.error = error;
  Tell(std::move(event));
}

void RecordWatch::Tell(WatchEvent event) {
  mailbox_.Enqueue(std::move(event));
  mailbox_.Deliver();
}

}  // namespace leaderelection::redis

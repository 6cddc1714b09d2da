#include "kubernetes/namespace_watch.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace leaderelection {
namespace {

using Kind = WatchEvent::Kind;

constexpr std::size_t kShareBeyond = 4;
constexpr std::size_t kNobodyShares = std::numeric_limits<std::size_t>::max();

// An object that is no Lease of an election is for a read to report: kLive makes the elector ask.
void Tell(Mailbox& mailbox, const LeaseName& lease, WatchNews news) {
  const auto leave_to_a_read = [&] {
    mailbox.Enqueue({.kind = Kind::kLost});
    mailbox.Enqueue({.kind = Kind::kLive});
  };
  if (news.kind == Kind::kChanged) {
    auto stored = DecodeLease(std::move(news.object), lease);
    if (!stored) return leave_to_a_read();
    return mailbox.Enqueue({.kind = Kind::kChanged, .stored = std::move(stored).value()});
  }
  if (news.kind == Kind::kDeleted) {
    if (news.order == 0) return leave_to_a_read();
    return mailbox.Enqueue({.kind = Kind::kDeleted, .stored = {.version = {.order = news.order}}});
  }
  mailbox.Enqueue({.kind = news.kind, .error = std::move(news.error)});
}

void LogPolling(const std::weak_ptr<ApiClient>& weak, const LeaseName& lease, const Error& error) {
  const auto api = weak.lock();
  if (!api) return;
  api->Log({.level = LogLevel::kWarning,
            .message = "the watch on the Lease is refused; polling instead",
            .fields = {{"lock", lease.name_space + "/" + lease.name}, {"error", error.message}}});
}

}  // namespace

class NamespaceWatch::Subscription final : public Watch {
 public:
  Subscription(std::shared_ptr<ApiClient> api, std::shared_ptr<NamespaceWatch> parent,
               std::shared_ptr<Observer> observer)
      : api_(std::move(api)), parent_(std::move(parent)), observer_(std::move(observer)) {}
  ~Subscription() override {
    observer_->mailbox->Close();
    parent_->Remove(observer_);
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

 private:
  const std::shared_ptr<ApiClient> api_;
  const std::shared_ptr<NamespaceWatch> parent_;
  const std::shared_ptr<Observer> observer_;
};

NamespaceWatch::NamespaceWatch(const std::shared_ptr<ApiClient>& api, std::string name_space)
    : api_(api), name_space_(std::move(name_space)), share_beyond_(kShareBeyond), strangers_(BootClock::now()) {}

std::unique_ptr<Watch> NamespaceWatch::Observe(const std::string& name, std::function<void(WatchEvent)> on_event) {
  const auto observer = std::make_shared<Observer>(
      Observer{{name_space_, name}, std::make_shared<Mailbox>(std::move(on_event)), nullptr});
  std::shared_ptr<WatchSession> begun;
  {
    const std::lock_guard lock(mutex_);
    observers_.emplace(name, observer);
    if (observers_.size() <= share_beyond_) {
      begun = observer->own = MakeOwnSession(observer);
    } else if (!shared_) {
      begun = shared_ = MakeSharedSession();
    } else if (is_live_) {
      observer->mailbox->Enqueue({.kind = Kind::kLive});
    }
  }
  auto subscription = std::make_unique<Subscription>(api_.lock(), shared_from_this(), observer);
  if (begun) begun->Connect();
  observer->mailbox->Deliver();
  return subscription;
}

void NamespaceWatch::Remove(const std::shared_ptr<Observer>& observer) {
  std::shared_ptr<WatchSession> ended;
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = observers_.equal_range(observer->lease.name);
    observers_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == observer; }));
    ended = std::move(observer->own);
    if (!ended && !IsAnyoneSharing()) {
      ended = std::move(shared_);
      is_live_ = false;
    }
  }
  if (ended) ended->Stop();
}

bool NamespaceWatch::IsAnyoneSharing() const {
  return std::any_of(observers_.begin(), observers_.end(), [](const auto& entry) { return !entry.second->own; });
}

std::shared_ptr<WatchSession> NamespaceWatch::MakeOwnSession(const std::shared_ptr<Observer>& observer) {
  const auto queue = [mailbox = observer->mailbox, lease = observer->lease, api = api_](WatchNews news) {
    if (news.kind == Kind::kRefused) LogPolling(api, lease, news.error);
    Tell(*mailbox, lease, std::move(news));
  };
  const auto deliver = [mailbox = observer->mailbox] { mailbox->Deliver(); };
  return std::make_shared<WatchSession>(api_.lock(), observer->lease, WatchSession::Listener{queue, deliver});
}

std::shared_ptr<WatchSession> NamespaceWatch::MakeSharedSession() {
  const auto with_self = [weak = weak_from_this()](auto then) {
    if (const auto self = weak.lock()) then(*self);
  };
  const auto queue = [with_self, number = ++shared_number_](WatchNews news) {
    with_self([&](NamespaceWatch& self) {
      const std::lock_guard lock(self.mutex_);
      // One that has been let go of may be telling still.
      if (number == self.shared_number_) self.Queue(std::move(news));
    });
  };
  const auto deliver = [with_self] { with_self([](NamespaceWatch& self) { self.Deliver(); }); };
  strangers_ = StrangerCount(BootClock::now());
  return std::make_shared<WatchSession>(api_.lock(), LeaseName{name_space_, ""},
                                        WatchSession::Listener{queue, deliver});
}

void NamespaceWatch::Queue(WatchNews news) {
  if (!shared_) return;
  if (news.kind == Kind::kRefused) {
    return EndSharing(kNobodyShares, "the watch on all Leases of the namespace is refused; watching each one instead",
                      news.error);
  }
  if (news.kind == Kind::kLive || news.kind == Kind::kLost) return QueueForAll(news);
  const Json& object = news.object;
  const std::string name =
      object.is_object() && object.contains("metadata") ? TextAt(object["metadata"], "name") : std::string();
  const auto [begin, end] = observers_.equal_range(name);
  if (begin == end && news.is_renewal && strangers_.AddAndJudge(BootClock::now(), observers_.size())) {
    // With twice as many of ours it may pay.
    return EndSharing(
        2 * observers_.size(), "others' Leases change too often in the namespace; watching each of ours instead",
        {ErrorCode::kUnknown, "most of what the watch on the namespace brought was others'", std::nullopt});
  }
  for (auto entry = begin; entry != end;) {
    const Observer& observer = *entry->second;
    const bool is_last = ++entry == end;
    if (observer.own) continue;
    Tell(*observer.mailbox, observer.lease, is_last ? std::move(news) : news);
    told_.push_back(observer.mailbox);
  }
}

void NamespaceWatch::QueueForAll(const WatchNews& news) {
  is_live_ = news.kind == Kind::kLive;
  for (const auto& [name, observer] : observers_) {
    if (observer->own) continue;
    Tell(*observer->mailbox, observer->lease, news);
    told_.push_back(observer->mailbox);
  }
}

void NamespaceWatch::EndSharing(std::size_t share_beyond, const char* why, const Error& error) {
  share_beyond_ = share_beyond;
  if (is_live_) QueueForAll({.kind = Kind::kLost, .error = error});
  const auto api = api_.lock();
  if (!api) return;
  api->Log(
      {.level = LogLevel::kInfo, .message = why, .fields = {{"namespace", name_space_}, {"error", error.message}}});
  // Off this callback of the session that is to be stopped.
  api->At(BootClock::now(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->GoAlone();
  });
}

void NamespaceWatch::GoAlone() {
  std::shared_ptr<WatchSession> ended;
  std::vector<std::shared_ptr<WatchSession>> begun;
  {
    const std::lock_guard lock(mutex_);
    ended = std::move(shared_);
    for (const auto& [name, observer] : observers_) {
      if (!observer->own) begun.push_back(observer->own = MakeOwnSession(observer));
    }
  }
  if (ended) ended->Stop();
  for (const auto& session : begun) session->Connect();
}

void NamespaceWatch::Deliver() {
  std::vector<std::shared_ptr<Mailbox>> told;
  {
    const std::lock_guard lock(mutex_);
    told.swap(told_);
  }
  for (const auto& mailbox : told) mailbox->Deliver();
}

}  // namespace leaderelection

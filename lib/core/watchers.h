// Tells several watchers of changes: to each in order and one at a time, on the threads of those who make the changes.
//
// A backend queues events under its own mutex, so that they stand in the order of its writes, and delivers them after
// it has let go of the mutex, so that a callback may use the backend again:
//
//   {
//     std::lock_guard lock(mutex_);
//     watchers_.Enqueue(event);
//   }
//   watchers_.Deliver();

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "leaderelection/resource_lock.h"

namespace leaderelection {

// The events of one watcher that he has not been told yet.
class Mailbox {
 public:
  explicit Mailbox(std::function<void(WatchEvent)> on_event) : on_event_(std::move(on_event)) {}

  void Enqueue(WatchEvent event) {
    std::lock_guard lock(mutex_);
    if (!closed_) events_.push_back(std::move(event));
  }

  // Tells what is queued. If another thread, or this one further down its stack, is telling already, it will tell this
  // too once its callback returns: to wait for it here could wait in a circle. A callback that throws terminates.
  void Deliver() noexcept {
    std::unique_lock lock(mutex_);
    if (closed_ || delivering_ != std::thread::id()) return;
    delivering_ = std::this_thread::get_id();
    while (!events_.empty()) {
      WatchEvent event = std::move(events_.front());
      events_.pop_front();
      lock.unlock();
      on_event_(std::move(event));
      lock.lock();
    }
    delivering_ = {};
    idle_.notify_all();
  }

  // No callback begins after this, and when it returns none runs, except one that led to this call.
  void Close() {
    // Goes after the guard, for what the callback captured may do anything as it goes.
    std::function<void(WatchEvent)> finished;
    std::unique_lock lock(mutex_);
    closed_ = true;
    events_.clear();
    if (delivering_ == std::this_thread::get_id()) return;
    idle_.wait(lock, [this] { return delivering_ == std::thread::id(); });
    finished.swap(on_event_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<WatchEvent> events_;
  bool closed_ = false;
  std::thread::id delivering_;  // whose callback runs; none: the default id
  std::function<void(WatchEvent)> on_event_;
};

class Watchers {
 public:
  // The watcher hears `first` at the next Deliver, and from then on all that is queued.
  [[nodiscard]] std::unique_ptr<Watch> Add(std::function<void(WatchEvent)> on_event, WatchEvent first) {
    auto mailbox = std::make_shared<Mailbox>(std::move(on_event));
    mailbox->Enqueue(std::move(first));
    std::lock_guard lock(mutex_);
    mailboxes_.push_back(mailbox);
    return std::make_unique<Subscription>(std::move(mailbox));
  }

  void Enqueue(const WatchEvent& event) {
    for (const auto& mailbox : Open()) mailbox->Enqueue(event);
  }

  void Deliver() {
    for (const auto& mailbox : Open()) mailbox->Deliver();
  }

  [[nodiscard]] std::size_t size() { return Open().size(); }

 private:
  class Subscription final : public Watch {
   public:
    explicit Subscription(std::shared_ptr<Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}
    ~Subscription() override { mailbox_->Close(); }

   private:
    const std::shared_ptr<Mailbox> mailbox_;
  };

  std::vector<std::shared_ptr<Mailbox>> Open() {
    std::lock_guard lock(mutex_);
    std::erase_if(mailboxes_, [](const std::weak_ptr<Mailbox>& mailbox) { return mailbox.expired(); });
    std::vector<std::shared_ptr<Mailbox>> open;
    for (const auto& mailbox : mailboxes_) {
      if (auto alive = mailbox.lock()) open.push_back(std::move(alive));
    }
    return open;
  }

  std::mutex mutex_;
  std::vector<std::weak_ptr<Mailbox>> mailboxes_;  // each owned by its Watch
};

}  // namespace leaderelection

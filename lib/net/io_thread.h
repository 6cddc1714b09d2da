// One thread for the network input and output of as many clients as share it.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace leaderelection::net {

// Share it by shared_ptr. The thread starts with the first task. Handlers do not block: everyone else waits behind
// them. Objects that live on the context (streams, timers) refer to the context only; whoever owns them holds the
// IoThread.
class IoThread {
 public:
  IoThread();
  // Drops what has not run and waits for the running handler, unless that is the one which drops the last reference: it
  // then returns, and the thread ends right after it.
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  [[nodiscard]] boost::asio::io_context& context() { return *context_; }
  [[nodiscard]] bool IsCurrent() const { return context_->get_executor().running_in_this_thread(); }

  template <class Handler>
  void Post(Handler handler) {
    Start();
    boost::asio::post(*context_, std::move(handler));
  }
  // Returns when the task has run: at once on the thread itself, behind what is queued from any other. When it returns,
  // no handler that was running before still is.
  void RunAndWait(const std::function<void()>& task);

 private:
  void Start();

  const std::shared_ptr<boost::asio::io_context> context_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::once_flag started_;
  std::thread thread_;
};

}  // namespace leaderelection::net

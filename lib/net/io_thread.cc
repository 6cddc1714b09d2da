#include "net/io_thread.h"

#include <boost/asio/executor_work_guard.hpp>
#include <condition_variable>
#include <vector>

namespace leaderelection::net {
namespace {

// A thread cannot join itself. One that drops the last reference to its own IoThread is on its way out and waits here
// for whoever comes next, at the latest for the end of the process, to join it.
class LeavingThreads {
 public:
  static LeavingThreads& OfProcess() {
    static LeavingThreads threads;
    return threads;
  }

  ~LeavingThreads() {
    JoinAll();
    // What is left is the thread that called exit(): it cannot be joined and ends with the process.
    for (std::thread& self : threads_) new std::thread(std::move(self));
  }

  void Add(std::thread thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(std::move(thread));
  }

  void JoinAll() {
    std::vector<std::thread> leaving;
    {
      const std::lock_guard lock(mutex_);
      leaving.swap(threads_);
    }
    for (std::thread& thread : leaving) {
      if (thread.get_id() == std::this_thread::get_id()) {
        Add(std::move(thread));
      } else {
        thread.join();
      }
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace

IoThread::IoThread() : context_(std::make_shared<boost::asio::io_context>(1)) {
  LeavingThreads::OfProcess();  // Made before any IoThread, and so destroyed after those that are static.
}

IoThread::~IoThread() {
  if (!thread_.joinable()) return;
  const bool on_own_thread = IsCurrent();
  work_.reset();
  context_->stop();
  if (on_own_thread) {
    LeavingThreads::OfProcess().Add(std::move(thread_));
  } else {
    thread_.join();
  }
}

void IoThread::Start() {
  std::call_once(started_, [this] {
    LeavingThreads::OfProcess().JoinAll();
    work_.emplace(context_->get_executor());
    // The thread keeps the context: it may outlive this object by the rest of one handler.
    thread_ = std::thread([context = context_] { context->run(); });
  });
}

void IoThread::RunAndWait(const std::function<void()>& task) {
  if (IsCurrent()) return task();
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  Post([&] {
    task();
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
}

}  // namespace leaderelection::net

#include "leaderelection/blocking_lock.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/service_thread.h"

namespace leaderelection {
namespace {

struct Request {
  MonotonicTime deadline;
  std::function<Result<Stored>()> run;
  Done<Stored> done;
};

Result<Stored> RunBeforeDeadline(const Request& request) {
  if (request.deadline <= BootClock::now()) {
    return {ErrorCode::kTimeout, "the deadline passed before the request was begun"};
  }
  try {
    return request.run();
  } catch (const std::exception& thrown) {
    return {ErrorCode::kUnknown, thrown.what()};
  } catch (...) {
    return {ErrorCode::kUnknown, "something was thrown that is no std::exception"};
  }
}

class RequestQueue {
 public:
  void Push(Request request) {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      requests_.push_back(std::move(request));
    }
    changed_.notify_one();
  }

  void Close() {
    std::deque<Request> dropped;  // outlives the guard: dropping a request calls its Done
    std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(requests_);
    changed_.notify_one();
  }

  void ServeUntilClosed() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !requests_.empty(); });
      if (closed_) return;
      Request request = std::move(requests_.front());
      requests_.pop_front();
      lock.unlock();
      Result<Stored> answer = RunBeforeDeadline(request);
      request.run = nullptr;
      std::move(request.done)(std::move(answer));
      lock.lock();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> requests_;
  bool closed_ = false;
};

std::string Missing(const BlockingLock::Functions& functions, const std::string& name) {
  std::string missing;
  if (!functions.get) missing += " get";
  if (!functions.create) missing += " create";
  if (!functions.update) missing += " update";
  if (name.empty()) missing += " name";
  return missing;
}

}  // namespace

class BlockingLock::Worker {
 public:
  Worker(Functions functions, std::string name) : functions_(std::move(functions)), name_(std::move(name)) {
    if (const std::string missing = Missing(functions_, name_); !missing.empty()) {
      throw std::invalid_argument("BlockingLock: missing:" + missing);
    }
    thread_ = StartServiceThread("le-blocking", [this] { queue_.ServeUntilClosed(); });
  }

  ~Worker() {
    if (thread_.get_id() == std::this_thread::get_id()) {
      std::fputs("leaderelection: a BlockingLock was destroyed inside one of its own answers\n", stderr);
      std::abort();
    }
    queue_.Close();
    thread_.join();
  }

  const std::string& name() const { return name_; }
  const Functions& functions() const { return functions_; }
  void Push(Request request) { queue_.Push(std::move(request)); }

 private:
  const Functions functions_;
  const std::string name_;
  RequestQueue queue_;
  std::thread thread_;
};

BlockingLock::BlockingLock(Functions functions, std::string name)
    : worker_(std::make_unique<Worker>(std::move(functions), std::move(name))) {}
BlockingLock::~BlockingLock() = default;

void BlockingLock::Get(MonotonicTime deadline, Done<Stored> done) {
  auto run = [&functions = worker_->functions(), deadline] { return functions.get(deadline); };
  worker_->Push({deadline, std::move(run), std::move(done)});
}

void BlockingLock::Create(MonotonicTime deadline, const Record& record, Done<Stored> done) {
  auto run = [&functions = worker_->functions(), deadline, record] { return functions.create(deadline, record); };
  worker_->Push({deadline, std::move(run), std::move(done)});
}

void BlockingLock::Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) {
  auto run = [&functions = worker_->functions(), deadline, record, expected] {
    return functions.update(deadline, record, expected);
  };
  worker_->Push({deadline, std::move(run), std::move(done)});
}

std::string BlockingLock::Describe() const { return worker_->name(); }

}  // namespace leaderelection

#include "kubernetes/own_thread.h"

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "core/service_thread.h"

namespace leaderelection {
namespace {

thread_local int callbacks_running = 0;

// The threads made so far; those that have done their work are joined when the next one is made.
class Undertakers {
 public:
  static Undertakers& OfProcess() {
    static Undertakers undertakers;
    return undertakers;
  }
  ~Undertakers() {
    for (Undertaker& undertaker : undertakers_) undertaker.thread.join();
  }

  void Start(std::function<void()> destroy) {
    const std::lock_guard lock(mutex_);
    undertakers_.remove_if([](Undertaker& undertaker) {
      if (!*undertaker.is_done) return false;
      undertaker.thread.join();
      return true;
    });
    auto is_done = std::make_shared<std::atomic<bool>>(false);
    undertakers_.push_back({StartServiceThread("le-undertaker",
                                               [destroy = std::move(destroy), is_done]() mutable {
                                                 std::exchange(destroy, nullptr)();
                                                 *is_done = true;
                                               }),
                            is_done});
  }

 private:
  struct Undertaker {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> is_done;
  };
  std::mutex mutex_;
  std::list<Undertaker> undertakers_;
};

}  // namespace

OwnThread::OwnThread() { ++callbacks_running; }
OwnThread::~OwnThread() { --callbacks_running; }

bool IsInCallback() { return callbacks_running > 0; }

void DestroyOutsideCallbacks(std::function<void()> destroy) {
  if (IsInCallback()) return Undertakers::OfProcess().Start(std::move(destroy));
  destroy();
}

}  // namespace leaderelection

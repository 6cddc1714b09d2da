#include "http/shared_io_thread.h"

#include <mutex>

namespace leaderelection::http {
namespace {

struct Shared {
  std::mutex mutex;
  std::weak_ptr<net::IoThread> thread;
};

}  // namespace

std::shared_ptr<net::IoThread> SharedIoThread() {
  static Shared& shared = *new Shared;  // Never destroyed: a static object's destructor may still make a client.
  const std::lock_guard lock(shared.mutex);
  std::shared_ptr<net::IoThread> thread = shared.thread.lock();
  if (!thread) shared.thread = thread = std::make_shared<net::IoThread>();
  return thread;
}

}  // namespace leaderelection::http

#include "http/cpprest_process.h"

#include <openssl/ssl.h>
#include <pplx/threadpool.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace leaderelection::http {
namespace {

// It has 40 unless told otherwise. Nothing blocks on them: names are looked up elsewhere.
constexpr std::size_t kThreads = 2;

class Registry : public CpprestProcess {
 public:
  std::shared_ptr<void> AtExit(std::function<void()> let_go) override {
    auto entry = std::make_shared<std::function<void()>>(std::move(let_go));
    const std::lock_guard lock(mutex_);
    entries_.remove_if([](const auto& other) { return other.expired(); });
    entries_.push_back(entry);
    return entry;
  }
  [[nodiscard]] bool is_ending() const override { return is_ending_; }

  void End() {
    is_ending_ = true;
    std::list<std::weak_ptr<std::function<void()>>> entries;
    {
      const std::lock_guard lock(mutex_);
      entries.swap(entries_);
    }
    for (const auto& weak : entries) {
      if (const auto let_go = weak.lock()) (*let_go)();
    }
  }

 private:
  std::mutex mutex_;
  std::list<std::weak_ptr<std::function<void()>>> entries_;
  std::atomic<bool> is_ending_{false};
};

// Lets what was broken off come to its end while there is a pool: each round waits behind all that is queued.
void DrainPool() {
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    const auto passed = std::make_shared<std::promise<void>>();
    auto passing = passed->get_future();
    crossplat::threadpool::shared_instance().service().post([passed] { passed->set_value(); });
    if (passing.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) return;
  }
}

// Younger than the pool, so destroyed before it.
struct Ending {
  Registry& registry;
  ~Ending() {
    registry.End();
    DrainPool();
  }
};

void MakePool() {
  // What is registered for exit first is run last: OpenSSL must still be there for a pool thread that shakes hands when
  // the program ends.
  OPENSSL_init_ssl(0, nullptr);
  try {
    crossplat::threadpool::initialize_with_threads(kThreads);
  } catch (const std::exception&) {
    // The program, or another library in it, was here first and has the pool it wants.
  }
  crossplat::threadpool::shared_instance();
}

}  // namespace

CpprestProcess& CpprestProcess::Get() {
  static Registry& registry = *new Registry;  // Never destroyed: clients that are older than the pool come back to it.
  static const bool has_pool = (MakePool(), true);
  static const Ending ending{registry};
  (void)has_pool;
  return registry;
}

}  // namespace leaderelection::http

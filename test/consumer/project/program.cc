#include <leaderelection/file_lock.h>
#include <leaderelection/memory_lock.h>
#include <leaderelection/version.h>

#include <chrono>
#include <future>
#include <iostream>
#include <memory>

namespace {

using namespace leaderelection;

Result<Stored> Create(ResourceLock& lock, const Record& record) {
  auto answer = std::make_shared<std::promise<Result<Stored>>>();
  lock.Create(kNever, record, Done<Stored>([answer](Result<Stored> result) { answer->set_value(std::move(result)); }));
  return answer->get_future().get();
}

bool Takes(ResourceLock& lock) {
  const Result<Stored> stored = Create(lock, {.holder_identity = "me", .lease_duration = std::chrono::seconds(15)});
  std::cout << LEADERELECTION_VERSION_STRING << ' ' << lock.Describe() << ": "
            << (stored.ok() ? "created" : stored.error().message) << '\n';
  return stored.ok() || stored.error().code == ErrorCode::kAlreadyExists;
}

}  // namespace

int main(int, char** argv) {
  MemoryLock memory("consumer");
  FileLock file(argv[1]);
  return Takes(memory) && Takes(file) ? 0 : 1;
}

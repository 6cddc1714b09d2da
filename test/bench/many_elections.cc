// many_elections [COUNT]: that many elections, 1000 unless told otherwise, in one process on one shared event loop.
// Says what each costs in memory and processor time, and how many threads they take together.

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "leaderelection/leader_elector.h"
#include "leaderelection/memory_lock.h"

namespace {

using namespace leaderelection;

long PrivateKilobytes() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  long shared = 0;
  file >> total >> resident >> shared;
  return (resident - shared) * (::sysconf(_SC_PAGESIZE) / 1024);
}

int Threads() {
  int count = 0;
  DIR* tasks = ::opendir("/proc/self/task");
  while (const dirent* entry = ::readdir(tasks)) count += entry->d_name[0] != '.';
  ::closedir(tasks);
  return count;
}

double ProcessorSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char** values) {
  const int elections = count > 1 ? std::atoi(values[1]) : 1000;
  const auto loop = std::make_shared<EventLoop>();
  const auto callbacks = std::make_shared<EventLoop>();
  std::counting_semaphore<> started(0);
  const long memory_before = PrivateKilobytes();
  const auto from = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<LeaderElector>> electors;
  for (int number = 0; number < elections; ++number) {
    LeaderElectionConfig config;
    config.lock = std::make_shared<MemoryLock>("election-" + std::to_string(number));
    config.executor = loop;
    config.callback_executor = [callbacks](Task task) { callbacks->Post(std::move(task)); };
    config.callbacks.on_started_leading = [&](const Term&) { started.release(); };
    electors.push_back(std::make_unique<LeaderElector>(std::move(config)));
    electors.back()->Start();
  }
  for (int number = 0; number < elections; ++number) started.acquire();
  const std::chrono::duration<double> acquired = std::chrono::steady_clock::now() - from;
  const double processor_before = ProcessorSeconds();
  std::binary_semaphore never(0);
  (void)never.try_acquire_for(std::chrono::seconds(10));
  const double processor = ProcessorSeconds() - processor_before;
  int leading = 0;
  for (const auto& elector : electors) leading += elector->IsLeader();
  std::printf("%d elections in one process: all acquired in %.3f s, %d lead after 10 s\n", elections, acquired.count(),
              leading);
  std::printf("private memory: %.1f KiB each; threads: %d (the program's, the elections' and the callbacks')\n",
              static_cast<double>(PrivateKilobytes() - memory_before) / elections, Threads());
  std::printf("processor: %.1f s an hour for all of them, renewing every 2 s\n", processor * 360);
  return leading == elections ? 0 : 1;
}

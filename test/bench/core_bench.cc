// What it costs to ask whether one leads, beside the clock read that is its floor; and how quickly the lock changes
// hands between two electors of one process.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "bench/allocation_count.h"
#include "leaderelection/leader_elector.h"
#include "leaderelection/memory_lock.h"

namespace leaderelection {
namespace {

std::unique_ptr<LeaderElector> Leader() {
  LeaderElectionConfig config;
  config.lock = std::make_shared<MemoryLock>();
  auto elector = std::make_unique<LeaderElector>(std::move(config));
  if (!elector->TryAcquire().ok()) std::abort();
  return elector;
}

void ReadTheClock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(BootClock::now());
}
BENCHMARK(ReadTheClock);

void IsLeader(benchmark::State& state) {
  const auto elector = Leader();
  const long before = Allocations();
  for (auto _ : state) benchmark::DoNotOptimize(elector->IsLeader());
  state.counters["allocations"] = static_cast<double>(Allocations() - before);
}
BENCHMARK(IsLeader);

void TermIsValid(benchmark::State& state) {
  const auto elector = Leader();
  const Term term = *elector->CurrentTerm();
  const long before = Allocations();
  for (auto _ : state) benchmark::DoNotOptimize(term.IsValid());
  state.counters["allocations"] = static_cast<double>(Allocations() - before);
}
BENCHMARK(TermIsValid);

// Two electors of one process step down in turn; what is measured is from the request to step down to the other's work.
void HandOffInMemory(benchmark::State& state) {
  const auto lock = std::make_shared<MemoryLock>();
  std::counting_semaphore<2> started(0);
  const auto make = [&](const char* identity) {
    LeaderElectionConfig config;
    config.lock = lock;
    config.identity = identity;
    config.callbacks.on_started_leading = [&](const Term&) { started.release(); };
    return std::make_unique<LeaderElector>(std::move(config));
  };
  const auto a = make("a");
  const auto b = make("b");
  a->Start();
  started.acquire();
  b->Start();
  while (b->GetLeader() != "a") std::this_thread::yield();
  std::vector<double> took;
  for (auto _ : state) {
    LeaderElector& leader = a->IsLeader() ? *a : *b;
    const auto from = std::chrono::steady_clock::now();
    leader.StepDown();
    started.acquire();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - from;
    state.SetIterationTime(seconds.count());
    took.push_back(seconds.count() * 1e6);
  }
  std::sort(took.begin(), took.end());
  state.counters["p50_us"] = took[took.size() / 2];
  state.counters["p99_us"] = took[took.size() * 99 / 100];
}
BENCHMARK(HandOffInMemory)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace leaderelection

BENCHMARK_MAIN();

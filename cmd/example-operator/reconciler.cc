#include "reconciler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "config_maps.h"
#include "round.h"

namespace example_operator {

namespace {

using namespace std::chrono_literals;
using leaderelection::LogLevel;
using leaderelection::Status;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kShortestWait = 1s;
constexpr std::chrono::seconds kLongestWait = 30s;

void WaitUntil(steady_clock::time_point time, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_until(lock, stop, time, [] { return false; });
}

}  // namespace

Reconciler::Reconciler(ServerSettings server, std::string name_space, leaderelection::LogSink log)
    : server_(std::move(server)), name_space_(std::move(name_space)), log_(std::move(log)) {}

void Reconciler::Work(const leaderelection::Term& term) const {
  const std::stop_token stop = term.stop_token();
  HttpClient client(server_);
  ConfigMaps maps(client, name_space_);
  std::chrono::seconds wait = kShortestWait;
  std::string said;
  while (!stop.stop_requested()) {
    const auto began = steady_clock::now();
    const Status outcome = Round(maps, term, wait, log_).Run();
    if (outcome.ok() || steady_clock::now() - began > kLongestWait) {
      wait = kShortestWait;
      said.clear();
    }
    // The same once more would tell nobody anything.
    const std::string failure = outcome.ok() ? "" : outcome.error().message;
    if (std::exchange(said, failure) != failure) {
      log_({LogLevel::kError, "cannot reconcile, trying again", {{"error", failure}}});
    }
    WaitUntil(began + wait, stop);
    if (!outcome.ok()) wait = std::min(wait * 2, kLongestWait);
  }
}

}  // namespace example_operator

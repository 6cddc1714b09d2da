// Stands for election for one term and reports what happens to it as lines of JSON, as the client-go candidate of
// test/interop does: the two take the same flags where both have them, so tests and benchmarks can set one in place of
// the other. Which lock it stands on, the flag says: --file PATH, --name with --kubeconfig, or --redis URL.
//
// It exits with 0 after SIGTERM or SIGINT, with 1 after a lost term, and with 2 if it could not stand at all.

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "candidate/locks.h"
#include "candidate/options.h"
#include "json/rfc3339.h"
#include "leaderelection/leader_elector.h"
#include "leaderelection/log.h"

namespace leaderelection::candidate {
namespace {

// Each event is one whole line in one write, so that a reader of a pipe sees it at once.
class Lines {
 public:
  explicit Lines(std::string identity) : identity_(std::move(identity)) {}

  void Report(const std::string& event, const std::string& more = "") {
    const auto wall = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const std::string line = "{\"time\":\"" + FormatRfc3339(wall).value_or("") +
                             "\",\"boot_ns\":" + std::to_string(BootClock::now().time_since_epoch().count()) +
                             ",\"event\":\"" + event + "\",\"identity\":\"" + identity_ + "\"" + more + "}\n";
    const std::lock_guard lock(mutex_);
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }

 private:
  const std::string identity_;
  std::mutex mutex_;
};

LeaderElectionConfig Configure(const Options& options, Lines& lines) {
  LeaderElectionConfig config;
  config.lock = MakeLock(options);
  config.identity = options.identity;
  config.lease_duration = options.lease_duration;
  config.renew_deadline = options.renew_deadline;
  config.retry_period = options.retry_period;
  config.release_on_cancel = options.release_on_cancel;
  config.callbacks.on_started_leading = [&lines](const Term& term) {
    lines.Report("started", ",\"fencing_token\":" + std::to_string(term.fencing_token()));
  };
  config.callbacks.on_stopped_leading = [&lines] { lines.Report("stopped", ",\"led\":true"); };
  config.callbacks.on_new_leader = [&lines](const std::string& leader) {
    lines.Report("new_leader", ",\"leader\":\"" + leader + "\"");
  };
  if (options.verbose) {
    config.log = [](const LogEvent& event) { std::fprintf(stderr, "%s\n", ToLogfmt(event).c_str()); };
  }
  return config;
}

int Run(const std::vector<std::string>& arguments) {
  const Options options = ParseOptions(arguments);
  Lines lines(options.identity);
  lines.Report("boot");
  const StopOnSignals stop({SIGTERM, SIGINT});
  LeaderElector elector(Configure(options, lines));
  elector.Run(stop);
  const bool cancelled = stop.signal() != 0;
  lines.Report("exit", std::string(",\"reason\":\"") + (cancelled ? "cancelled" : "lost") + "\"");
  return cancelled ? 0 : 1;
}

}  // namespace
}  // namespace leaderelection::candidate

int main(int count, char** values) {
  try {
    return leaderelection::candidate::Run({values + 1, values + count});
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "candidate: %s\n", thrown.what());
    return 2;
  }
}

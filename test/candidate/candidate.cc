// Stands for election for one term, or with --again for one after another, and reports what happens to it as lines of
// JSON, as the client-go candidate of test/interop does: they take the same flags, so tests and benchmarks can set one
// in place of the other. Which lock it stands on, the flag says: --file PATH, --name with --kubeconfig, --redis URL or
// --consul ADDRESS. --validity-log and --register give the tests of faults something to judge by.
//
// It exits with 0 after SIGTERM or SIGINT, with 1 after a lost term, and with 2 if it could not stand at all.

#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "candidate/check.h"
#include "candidate/lines.h"
#include "candidate/locks.h"
#include "candidate/options.h"
#include "candidate/register_work.h"
#include "candidate/validity_log.h"
#include "leaderelection/executor.h"
#include "leaderelection/leader_elector.h"
#include "leaderelection/log.h"

namespace leaderelection::candidate {
namespace {

// What the leader does, if anything; returns when the term is over.
void Work(const Term& term, [[maybe_unused]] const Options& options, [[maybe_unused]] Lines& lines) {
  lines.Report("started", ",\"fencing_token\":" + std::to_string(term.fencing_token()));
#ifdef CANDIDATE_REDIS
  if (options.register_address.empty()) return;
  const RegisterOptions shared{.address = options.register_address,
                               .key = options.register_key,
                               .guarded = !options.unguarded,
                               .think = options.think};
  const auto report = [&lines](const char* event) {
    return [&lines, event](const std::string& element) { lines.Report(event, ",\"element\":\"" + element + "\""); };
  };
  UpdateRegister(term, shared, options.identity, report("wrote"), report("refused"));
#endif
}

LeaderElectionConfig Configure(const Options& options, Lines& lines, std::shared_ptr<ResourceLock> lock) {
  LeaderElectionConfig config;
  config.lock = std::move(lock);
  config.identity = options.identity;
  config.lease_duration = options.lease_duration;
  config.renew_deadline = options.renew_deadline;
  config.retry_period = options.retry_period;
  config.release_on_cancel = options.release_on_cancel;
  config.callbacks.on_started_leading = [&lines, &options](const Term& term) { Work(term, options, lines); };
  config.callbacks.on_stopped_leading = [&lines] { lines.Report("stopped", ",\"led\":true"); };
  config.callbacks.on_new_leader = [&lines](const std::string& leader) {
    lines.Report("new_leader", ",\"leader\":\"" + leader + "\"");
  };
  if (options.verbose) {
    config.log = [](const LogEvent& event) { std::fprintf(stderr, "%s\n", ToLogfmt(event).c_str()); };
  }
  return config;
}

void Await(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
}

void RunAgainAndAgain(LeaderElector& elector, const std::stop_token& stop) {
  elector.Start();
  Await(stop);
  elector.Stop();
}

// Many elections of one process, as its controllers would have them: one client, one event loop. Each event tells its
// lock.
void RunMany(const Options& options, Lines& lines, const std::stop_token& stop) {
  const LockMaker make = MakeLocks(options);
  const auto loop = std::make_shared<EventLoop>();
  std::vector<std::unique_ptr<LeaderElector>> electors;
  for (int number = 1; number <= options.locks; ++number) {
    const std::string name = options.name + "-" + std::to_string(number);
    const auto report = [&lines, more = ",\"lock\":\"" + name + "\""](const char* event) { lines.Report(event, more); };
    LeaderElectionConfig config = Configure(options, lines, make(name));
    config.executor = loop;
    config.callbacks = {.on_started_leading = [report](const Term&) { report("started"); },
                        .on_stopped_leading = [report] { report("stopped"); },
                        .on_new_leader = [report](const std::string&) { report("new_leader"); }};
    electors.push_back(std::make_unique<LeaderElector>(std::move(config)));
    electors.back()->Start();
  }
  Await(stop);
  for (const auto& elector : electors) elector->Stop();
}

void RunOne(const Options& options, Lines& lines, const std::stop_token& stop) {
  LeaderElector elector(Configure(options, lines, MakeLocks(options)(options.file.empty() ? options.name : "")));
  std::optional<ValidityLog> log;
  if (!options.validity_log.empty()) log.emplace(elector, options.validity_log);
  std::optional<Check> check;
  if (options.check) {
    check.emplace(elector, [&lines](MonotonicTime led_at) {
      lines.Report("not_leading", ",\"led_ns\":" + std::to_string(led_at.time_since_epoch().count()));
    });
  }
  options.again ? RunAgainAndAgain(elector, stop) : elector.Run(stop);
}

int Run(const std::vector<std::string>& arguments) {
  const Options options = ParseOptions(arguments);
  Lines lines(options.identity);
  lines.Report("boot");
  const StopOnSignals stop({SIGTERM, SIGINT});
  options.locks > 1 ? RunMany(options, lines, stop) : RunOne(options, lines, stop);
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

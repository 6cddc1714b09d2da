// many_elections --count N [--prefix NAME] [--kubeconfig FILE --namespace NAME]: that many elections in one process, on
// one client, one event loop and one thread for callbacks: on Leases, or in memory if there is no kubeconfig. Tells in
// lines of JSON when all lead, and after SIGTERM what became of them; what they cost is read from outside.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "leaderelection/leader_elector.h"
#include "leaderelection/memory_lock.h"
#ifdef MANY_ELECTIONS_KUBERNETES
#include "leaderelection/lease_lock.h"
#endif

namespace {

using namespace leaderelection;

struct Options {
  int count = 1000;
  std::string prefix = "election";
  std::string kubeconfig;
  std::string lease_namespace;
};

Options Parse(const std::vector<std::string>& words) {
  Options options;
  const std::map<std::string, std::string*> texts = {
      {"--prefix", &options.prefix}, {"--kubeconfig", &options.kubeconfig}, {"--namespace", &options.lease_namespace}};
  for (std::size_t index = 0; index < words.size(); index += 2) {
    if (index + 1 == words.size()) throw std::invalid_argument("no value for " + words[index]);
    if (words[index] == "--count") {
      options.count = std::stoi(words[index + 1]);
    } else {
      *texts.at(words[index]) = words[index + 1];
    }
  }
  return options;
}

template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// The lock of each election; all Leases are reached by one client.
std::function<std::shared_ptr<ResourceLock>(const std::string& name)> Locks(const Options& options) {
  if (options.kubeconfig.empty()) return [](const std::string& name) { return std::make_shared<MemoryLock>(name); };
#ifdef MANY_ELECTIONS_KUBERNETES
  const auto client = Must(KubeClient::Make(Must(KubeConfig::FromFiles({options.kubeconfig}))));
  return [client, space = options.lease_namespace](const std::string& name) {
    return std::make_shared<LeaseLock>(client, LeaseLockOptions{.lease_namespace = space, .lease_name = name});
  };
#else
  throw std::invalid_argument("built without the Kubernetes backend");
#endif
}

// From any thread.
class Tally {
 public:
  explicit Tally(int wanted) : wanted_(wanted), begin_(std::chrono::steady_clock::now()) {}

  void Started() {
    if (++started_ != wanted_) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    std::printf("{\"event\":\"acquired\",\"seconds\":%.3f}\n", took.count());
    std::fflush(stdout);
  }
  void Stopped() { ++stopped_; }

  void Report(int leading) const {
    std::printf("{\"event\":\"exit\",\"started\":%d,\"lost\":%d,\"leading\":%d}\n", started_.load(), stopped_.load(),
                leading);
    std::fflush(stdout);
  }

 private:
  const int wanted_;
  const std::chrono::steady_clock::time_point begin_;
  std::atomic<int> started_ = 0;
  std::atomic<int> stopped_ = 0;
};

void Run(const Options& options) {
  const auto lock = Locks(options);
  const auto loop = std::make_shared<EventLoop>();
  const auto callbacks = std::make_shared<EventLoop>();
  Tally tally(options.count);
  std::vector<std::unique_ptr<LeaderElector>> electors;
  for (int number = 0; number < options.count; ++number) {
    LeaderElectionConfig config;
    config.lock = lock(options.prefix + "-" + std::to_string(number));
    config.executor = loop;
    config.callback_executor = [callbacks](Task task) { callbacks->Post(std::move(task)); };
    config.callbacks.on_started_leading = [&](const Term&) { tally.Started(); };
    config.callbacks.on_stopped_leading = [&] { tally.Stopped(); };
    electors.push_back(std::make_unique<LeaderElector>(std::move(config)));
    electors.back()->Start();
  }
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGTERM);
  int got = 0;
  ::sigwait(&wanted, &got);
  int leading = 0;
  for (const auto& elector : electors) leading += elector->IsLeader();
  tally.Report(leading);
  std::_Exit(0);  // as if killed: what an orderly end of so many costs is no part of this
}

}  // namespace

int main(int count, char** words) {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);  // in every thread, so that sigwait gets it
  std::puts("{\"event\":\"boot\"}");
  std::fflush(stdout);
  try {
    Run(Parse({words + 1, words + count}));
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "many_elections: %s\n", thrown.what());
    return 2;
  }
}

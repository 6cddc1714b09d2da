#include "operator.h"

#include <leaderelection/admin_server.h>
#include <leaderelection/kube_client.h>
#include <leaderelection/kube_config.h>
#include <leaderelection/leader_elector.h>
#include <leaderelection/lease_lock.h>
#include <prometheus/registry.h>

#include <memory>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "options.h"
#include "reconciler.h"

namespace example_operator {

namespace {

using namespace leaderelection;

LogSink LinesOn(std::ostream& stream) {
  return [&stream, turn = std::make_shared<std::mutex>()](const LogEvent& event) {
    if (event.level == LogLevel::kDebug) return;
    const std::lock_guard guard(*turn);
    stream << ToLogfmt(event) << std::endl;
  };
}

// What cannot be read or opened at the start is a mistake in the set-up; a server that does not answer is not, for it
// may come up later.
template <class T>
T Need(Result<T> result) {
  if (!result.ok()) throw std::invalid_argument(result.error().message);
  return std::move(result).value();
}

void StandUntilStopped(const Options& options, const LogSink& log) {
  const KubeConfig config = Need(KubeConfig::InCluster(options.service_account));
  const auto client = Need(KubeClient::Make(config, {.log = log, .user_agent = "example-operator"}));
  const auto lock =
      std::make_shared<LeaseLock>(client, LeaseLockOptions{.lease_name = options.lease, .use_default_namespace = true});
  const auto registry = std::make_shared<prometheus::Registry>();
  const auto admin = Need(AdminServer::Start({.address = options.admin_address, .registry = registry}));
  log({LogLevel::kInfo, "serving /healthz, /readyz, /leader and /metrics", {{"address", admin->address()}}});

  const Reconciler reconciler(
      {.server = config.server(), .service_account = options.service_account, .user_agent = options.identity},
      config.default_namespace(), log);
  LeaderElector elector({.lock = lock,
                         .callbacks = {.on_started_leading = [&](const Term& term) { reconciler.Work(term); }},
                         .identity = options.identity,
                         .lease_duration = options.lease_duration,
                         .renew_deadline = options.lease_duration * 2 / 3,
                         .retry_period = options.lease_duration * 2 / 15,
                         .release_on_cancel = true,
                         .metrics = MakePrometheusMetrics(registry),
                         .log = log});
  admin->Add(elector);
  const StopOnSignals stop({SIGINT, SIGTERM});
  while (!stop.token().stop_requested()) elector.Run(stop);  // A term that was lost is followed by the next.
  admin->Remove(elector);
}

}  // namespace

int Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    const std::optional<Options> options = ParseOptions(arguments, out);
    if (options) StandUntilStopped(*options, LinesOn(err));
    return 0;
  } catch (const std::invalid_argument& mistake) {
    err << "example-operator: " << mistake.what() << std::endl;
    return 2;
  } catch (const std::exception& failure) {
    err << "example-operator: " << failure.what() << std::endl;
    return 1;
  }
}

}  // namespace example_operator

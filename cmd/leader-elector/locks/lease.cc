#include "leaderelection/kube_client.h"
#include "leaderelection/kube_config.h"
#include "leaderelection/lease_lock.h"
#include "locks/locks.h"
#include "usage_error.h"

namespace leaderelection::command {

std::shared_ptr<ResourceLock> MakeLeaseLock(const Values& values, const LogSink& log) {
  const std::string name = RequiredName(values);
  const std::string context = values.Text("context");
  const std::string file = values.Text("kubeconfig");
  const Result<KubeConfig> config = file.empty() ? KubeConfig::Load(context) : KubeConfig::FromFiles({file}, context);
  if (!config.ok()) throw UsageError("no API server to talk to: " + config.error().message);
  const auto client = KubeClient::Make(config.value(), {.log = log, .user_agent = "leader-elector"});
  if (!client.ok()) throw UsageError("no API server to talk to: " + client.error().message);
  const std::string lease_namespace = values.Text("leader-elect-resource-namespace");
  if (lease_namespace.empty() && config.value().default_namespace().empty()) {
    throw UsageError("--namespace is missing: the kubeconfig names none");
  }
  return std::make_shared<LeaseLock>(
      client.value(),
      LeaseLockOptions{
          .lease_namespace = lease_namespace, .lease_name = name, .use_default_namespace = lease_namespace.empty()});
}

}  // namespace leaderelection::command

#include "leaderelection/consul_lock.h"
#include "locks/locks.h"

namespace leaderelection::command {

std::shared_ptr<ResourceLock> MakeConsulLock(const Values& values, const LogSink& /*log*/) {
  const std::string key = RequiredName(values);
  ConsulOptions options = ConsulOptions::FromEnvironment();
  if (values.Given("consul-address")) options.address = values.Text("consul-address");
  if (values.Given("consul-ca-file")) options.ca_file = values.Text("consul-ca-file");
  if (values.Given("consul-token-file")) {
    options.token.clear();
    options.token_file = values.Text("consul-token-file");
  }
  return std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(options), ConsulLockOptions{.key = key});
}

}  // namespace leaderelection::command

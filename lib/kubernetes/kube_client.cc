#include "leaderelection/kube_client.h"

#include <utility>

#include "kubernetes/api_client.h"
#include "kubernetes/lease_watches.h"

namespace leaderelection {

Result<std::shared_ptr<KubeClient>> KubeClient::Make(const KubeConfig& config, KubeClientOptions options) {
  std::string user_agent = std::move(options.user_agent);
  user_agent += user_agent.empty() ? "leader-election" : " leader-election";
  auto api = ApiClient::Make(config, std::move(user_agent), std::move(options.log));
  if (!api) return api.error();
  return std::shared_ptr<KubeClient>(new KubeClient(config, std::move(api).value()));
}

KubeClient::KubeClient(const KubeConfig& config, std::shared_ptr<ApiClient> api)
    : config_(config), api_(std::move(api)), watches_(std::make_unique<LeaseWatches>()) {}

KubeClient::~KubeClient() = default;

}  // namespace leaderelection

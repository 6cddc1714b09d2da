// All watches of a client's locks, by namespace.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kubernetes/namespace_watch.h"

namespace leaderelection {

// Thread-safe.
class LeaseWatches {
 public:
  [[nodiscard]] std::unique_ptr<Watch> Observe(const std::shared_ptr<ApiClient>& api, const LeaseName& lease,
                                               std::function<void(WatchEvent)> on_event) {
    return Of(api, lease.name_space)->Observe(lease.name, std::move(on_event));
  }

 private:
  std::shared_ptr<NamespaceWatch> Of(const std::shared_ptr<ApiClient>& api, const std::string& name_space) {
    const std::lock_guard lock(mutex_);
    std::erase_if(namespaces_, [](const auto& entry) { return entry.second.expired(); });
    std::shared_ptr<NamespaceWatch> watch = namespaces_[name_space].lock();
    if (!watch) namespaces_[name_space] = watch = std::make_shared<NamespaceWatch>(api, name_space);
    return watch;
  }

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<NamespaceWatch>> namespaces_;  // each owned by its watches
};

}  // namespace leaderelection

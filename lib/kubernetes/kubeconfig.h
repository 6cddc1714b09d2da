// Kubeconfig files: read, merged, and one context of them made into settings.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kubernetes/kube_settings.h"
#include "leaderelection/error.h"

namespace leaderelection {

// The rules are KubeConfig::FromFiles'. kNotFound if none of the files exists.
[[nodiscard]] Result<KubeSettings> ReadKubeconfig(const std::vector<std::filesystem::path>& files,
                                                  const std::string& context);

}  // namespace leaderelection

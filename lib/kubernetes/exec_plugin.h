// Runs a program that hands out credentials (client.authentication.k8s.io).

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kubernetes/kube_settings.h"
#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "net/secret.h"

namespace leaderelection {

struct ExecCredential {
  net::Secret token;
  std::string certificate_pem;
  net::Secret key_pem;
  std::optional<WallTime> expires;  // by the wall clock, for so it is written
};

// Blocks until the program has ended, at the latest until the deadline or until `interruption`, a descriptor, becomes
// readable: the program and what it started are then killed. It has no terminal, and what it says on its standard error
// goes nowhere. kDenied with the cause if it gives no credential; its output is never quoted.
[[nodiscard]] Result<ExecCredential> RunExecPlugin(const KubeSettings& settings, MonotonicTime deadline,
                                                   int interruption);

// What such a program prints; it must be of the version that it was asked for.
[[nodiscard]] Result<ExecCredential> ReadExecCredential(std::string_view output, const std::string& api_version);

// What the program finds in KUBERNETES_EXEC_INFO.
[[nodiscard]] std::string ExecInfo(const KubeSettings& settings);

}  // namespace leaderelection

// What the operator is told on its command line.

#pragma once

#include <leaderelection/leader_elector.h>

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace example_operator {

struct Options {
  std::string lease = "example-operator";
  std::string identity = leaderelection::DefaultIdentity();
  // The other durations follow from it in the proportions of the library's defaults: 15 s, 10 s, 2 s.
  std::chrono::milliseconds lease_duration = std::chrono::seconds(15);
  // Where token, ca.crt and namespace are; KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name the server.
  std::filesystem::path service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  std::string admin_address = "127.0.0.1:0";
};

// Nothing if only help was asked for, which is then on `out`. Throws std::invalid_argument that says what is wrong.
[[nodiscard]] std::optional<Options> ParseOptions(std::vector<std::string> arguments, std::ostream& out);

}  // namespace example_operator

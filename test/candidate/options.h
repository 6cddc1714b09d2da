// The flags of the candidate, named as those of the client-go one.

#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace leaderelection::candidate {

struct Options {
  std::string file;
  std::string redis;
  std::string kubeconfig;
  std::string lease_namespace;
  std::string name;
  std::string identity;
  std::chrono::milliseconds lease_duration{15000};
  std::chrono::milliseconds renew_deadline{10000};
  std::chrono::milliseconds retry_period{2000};
  bool release_on_cancel = false;
  bool verbose = false;
};

// Throws std::invalid_argument that says what is not understood.
[[nodiscard]] Options ParseOptions(const std::vector<std::string>& arguments);

}  // namespace leaderelection::candidate

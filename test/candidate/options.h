// The flags of the candidate, named as those of the client-go one.

#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace leaderelection::candidate {

struct Options {
  std::string file;
  std::string redis;
  std::string consul;  // the address; the rest as the CONSUL_ variables say
  std::string kubeconfig;
  std::string lease_namespace;
  std::string name;
  std::string identity;
  std::chrono::milliseconds lease_duration{15000};
  std::chrono::milliseconds renew_deadline{10000};
  std::chrono::milliseconds retry_period{2000};
  bool release_on_cancel = false;
  bool again = false;        // stands again after a lost term
  int locks = 1;             // more: an election on each of name-1, name-2, ..., with --again, in this one process
  std::string validity_log;  // where to note when its terms were valid; see validity_log.h
  // The leader's work; none unless an address is given. See register_work.h.
  std::string register_address;
  std::string register_key;
  bool unguarded = false;
  std::chrono::milliseconds think{20};
  bool check = false;  // ask every millisecond whether it leads, and report when it no longer does
  bool verbose = false;
};

// Throws std::invalid_argument that says what is not understood.
[[nodiscard]] Options ParseOptions(const std::vector<std::string>& arguments);

}  // namespace leaderelection::candidate

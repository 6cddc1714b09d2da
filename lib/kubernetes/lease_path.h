// Where Leases are on an API server.

#pragma once

#include <string>

#include "kubernetes/lease_codec.h"

namespace leaderelection {

// Names were checked: they need no percent-encoding.
inline std::string LeasesPath(const std::string& name_space) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + name_space + "/leases";
}
inline std::string LeasePath(const LeaseName& lease) { return LeasesPath(lease.name_space) + "/" + lease.name; }
inline std::string EventsPath(const std::string& name_space) { return "/api/v1/namespaces/" + name_space + "/events"; }

}  // namespace leaderelection

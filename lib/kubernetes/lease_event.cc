#include "kubernetes/lease_event.h"

#include <array>
#include <cstdio>

#include "json/rfc3339.h"

namespace leaderelection {
namespace {

constexpr std::size_t kLongestPrefix = 200;

std::string EventName(const std::string& lease, std::uint64_t distinction) {
  std::array<char, 20> suffix{};
  std::snprintf(suffix.data(), suffix.size(), ".%016llx", static_cast<unsigned long long>(distinction));
  std::string name = lease.substr(0, kLongestPrefix);
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  return name + suffix.data();
}

}  // namespace

Result<std::string> EncodeLeaseEvent(const LeaseName& name, const Json& lease, const std::string& identity,
                                     const std::string& what, WallTime now, std::uint64_t distinction) {
  const auto time = FormatRfc3339(now);
  if (!time) return {ErrorCode::kInvalid, "the wall clock is not in the years 0001 to 9999"};
  static const Json none = Json::object();
  const Json& metadata = lease.contains("metadata") ? lease["metadata"] : none;
  const Json event{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", EventName(name.name, distinction)}, {"namespace", name.name_space}}},
      {"involvedObject",
       {{"apiVersion", "coordination.k8s.io/v1"},
        {"kind", "Lease"},
        {"name", name.name},
        {"namespace", name.name_space},
        {"uid", TextAt(metadata, "uid")},
        {"resourceVersion", TextAt(metadata, "resourceVersion")}}},
      {"type", "Normal"},
      {"reason", "LeaderElection"},
      {"message", identity + " " + what},
      {"source", {{"component", identity}}},
      {"reportingComponent", identity},
      {"reportingInstance", ""},
      {"firstTimestamp", *time},
      {"lastTimestamp", *time},
      {"count", 1},
  };
  try {
    return event.dump();
  } catch (const Json::type_error&) {
    return {ErrorCode::kInvalid, "the identity is not UTF-8"};
  }
}

}  // namespace leaderelection

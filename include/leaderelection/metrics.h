// What an elector counts. Implement it over any metrics system; leaderelection::admin has one for Prometheus.

#pragma once

#include <chrono>
#include <string_view>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/export.h"

namespace leaderelection {

// Every call names the election. Called from the elector's threads; must not block or throw.
class LEADERELECTION_EXPORT Metrics {
 public:
  virtual ~Metrics() = default;

  virtual void SetLeader(std::string_view /*name*/, bool /*leads*/) {}  // leader_election_master_status
  virtual void CountSlowPath(std::string_view /*name*/) {
  }  // leader_election_slowpath_total: a renewal that needed a read
  virtual void CountRenewal(std::string_view /*name*/, std::chrono::nanoseconds /*latency*/) {
  }                                                                            // from send to acknowledgement
  virtual void CountFailure(std::string_view /*name*/, ErrorCode /*code*/) {}  // a request that failed
  virtual void CountTransition(std::string_view /*name*/) {}                   // the holder changed, as seen from here
  virtual void SetExpiry(std::string_view /*name*/, MonotonicTime /*valid_until*/) {}  // end of the term unless renewed
};

}  // namespace leaderelection

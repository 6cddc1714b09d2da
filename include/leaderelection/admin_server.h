// What operators and their machines ask a running program: is it alive, who leads, how is it going.
//
//   auto registry = std::make_shared<prometheus::Registry>();
//   auto server = AdminServer::Start({.address = "127.0.0.1:8080", .registry = registry});
//   LeaderElector elector({.lock = ..., .metrics = MakePrometheusMetrics(registry)});
//   server.value()->Add(elector);
//
//   GET  /healthz     200, or 503 if an elector or its work acts as leader beyond its time: a reason to restart
//   GET  /readyz      200 for leader and follower alike, or a rolling update would wait for ever; 503 if a lock is out
//                     of reach, or there is no election yet
//   GET  /leader      who leads, as JSON; with ?only-leader 503 unless this program does, to route requests to it
//   GET  /metrics     Prometheus' text format
//   POST /step-down   gives up leadership: 202, 409 if this program does not lead, 403 unless enabled
//
// Where there are several elections, ?name= chooses among them.

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "leaderelection/error.h"
#include "leaderelection/export.h"
#include "leaderelection/leader_elector.h"
#include "leaderelection/metrics.h"

namespace prometheus {
class Registry;
}

namespace leaderelection {

struct AdminServerOptions {
  // An IP address and a port, [::1]:8080 in the case of IPv6; port 0: a free one. There is neither encryption nor a
  // password, so think before it is more than loopback.
  std::string address = "127.0.0.1:0";

  // Whose POST /step-down is heard. One sent by a page in a browser never is.
  enum class StepDown { kNobody, kThisHost, kEverybody } step_down = StepDown::kNobody;

  // How long /healthz bears with work that outlives its term.
  std::chrono::milliseconds tolerance = std::chrono::seconds(20);
  // A request that has not arrived by then is cut off, however busily it drips.
  std::chrono::milliseconds request_timeout = std::chrono::seconds(5);

  std::shared_ptr<prometheus::Registry> registry;  // null: no /metrics
};

// All members may be called from any thread. Has a few threads of its own; bodies of requests are not read, headers are
// cut off beyond 8 KiB, connections are closed after each answer.
class LEADERELECTION_EXPORT AdminServer {
 public:
  // kInvalid if the address is none, kDenied or kUnknown if it cannot be had.
  [[nodiscard]] static Result<std::unique_ptr<AdminServer>> Start(const AdminServerOptions& options);
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  // Answers for this elector too. It must outlive the server or be removed; Remove waits for requests under way.
  void Add(LeaderElector& elector);
  void Remove(const LeaderElector& elector);

  // Where it listens, with the port that was free: "127.0.0.1:34567".
  [[nodiscard]] const std::string& address() const noexcept;

 private:
  class Listener;
  explicit AdminServer(std::unique_ptr<Listener> listener);

  const std::unique_ptr<Listener> listener_;
};

// Counts into a registry, under client-go's names where it has them, with the election's name as label `name`:
//   leader_election_master_status, leader_election_slowpath_total, leader_election_renewals_total,
//   leader_election_renewal_duration_seconds, leader_election_request_failures_total (code),
//   leader_election_transitions_total, leader_election_expiry_timestamp_seconds (0 while it does not lead).
[[nodiscard]] LEADERELECTION_EXPORT std::shared_ptr<Metrics> MakePrometheusMetrics(
    std::shared_ptr<prometheus::Registry> registry);

// Asks the program that serves `address` to give up leadership, if it stands as `identity` in the election `name`
// (empty: whichever it leads). kDenied if it does not take such requests, kConflict if it does not lead as that.
[[nodiscard]] LEADERELECTION_EXPORT Status AskToStepDown(const std::string& address, const std::string& identity,
                                                         const std::string& name, std::chrono::milliseconds timeout);

}  // namespace leaderelection

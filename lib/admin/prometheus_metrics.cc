#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "leaderelection/admin_server.h"
#include "leaderelection/clock.h"

namespace leaderelection {

namespace {

using Seconds = std::chrono::duration<double>;

// From a file's renewal to one that hardly makes the usual deadline of ten seconds.
const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const prometheus::Histogram::BucketBoundaries boundaries = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                                     0.1,    0.25,  0.5,    1,     2.5,  5,     10};
  return boundaries;
}

class PrometheusMetrics final : public Metrics {
 public:
  explicit PrometheusMetrics(std::shared_ptr<prometheus::Registry> registry)
      : registry_(std::move(registry)),
        master_status_(prometheus::BuildGauge()
                           .Name("leader_election_master_status")
                           .Help("Whether this candidate leads (1) or not (0).")
                           .Register(*registry_)),
        slow_paths_(prometheus::BuildCounter()
                        .Name("leader_election_slowpath_total")
                        .Help("Renewals that needed a read of the lock.")
                        .Register(*registry_)),
        renewals_(prometheus::BuildCounter()
                      .Name("leader_election_renewals_total")
                      .Help("Acknowledged renewals.")
                      .Register(*registry_)),
        latency_(prometheus::BuildHistogram()
                     .Name("leader_election_renewal_duration_seconds")
                     .Help("Time from sending a renewal to its acknowledgement.")
                     .Register(*registry_)),
        failures_(prometheus::BuildCounter()
                      .Name("leader_election_request_failures_total")
                      .Help("Requests to the lock that failed, by code.")
                      .Register(*registry_)),
        transitions_(prometheus::BuildCounter()
                         .Name("leader_election_transitions_total")
                         .Help("Changes of leader seen by this candidate.")
                         .Register(*registry_)),
        expiry_(prometheus::BuildGauge()
                    .Name("leader_election_expiry_timestamp_seconds")
                    .Help("When this candidate's term ends unless it is renewed, as Unix time; 0 if it does not lead.")
                    .Register(*registry_)) {}

  // All series are there from the start, or rate() would miss the first event of each.
  void SetLeader(std::string_view name, bool leads) override {
    master_status_.Add(Labels(name)).Set(leads ? 1 : 0);
    if (leads) return;
    expiry_.Add(Labels(name)).Set(0);
    slow_paths_.Add(Labels(name));
    renewals_.Add(Labels(name));
    transitions_.Add(Labels(name));
    latency_.Add(Labels(name), Buckets());
  }
  void CountSlowPath(std::string_view name) override { slow_paths_.Add(Labels(name)).Increment(); }
  void CountRenewal(std::string_view name, std::chrono::nanoseconds latency) override {
    renewals_.Add(Labels(name)).Increment();
    latency_.Add(Labels(name), Buckets()).Observe(Seconds(latency).count());
  }
  void CountFailure(std::string_view name, ErrorCode code) override {
    failures_.Add({{"name", std::string(name)}, {"code", std::string(ToString(code))}}).Increment();
  }
  void CountTransition(std::string_view name) override { transitions_.Add(Labels(name)).Increment(); }
  // A moment, not a rest that would be old when it is scraped.
  void SetExpiry(std::string_view name, MonotonicTime valid_until) override {
    const auto moment = std::chrono::system_clock::now() + (valid_until - BootClock::now());
    expiry_.Add(Labels(name)).Set(Seconds(moment.time_since_epoch()).count());
  }

 private:
  static prometheus::Labels Labels(std::string_view name) { return {{"name", std::string(name)}}; }

  const std::shared_ptr<prometheus::Registry> registry_;
  prometheus::Family<prometheus::Gauge>& master_status_;
  prometheus::Family<prometheus::Counter>& slow_paths_;
  prometheus::Family<prometheus::Counter>& renewals_;
  prometheus::Family<prometheus::Histogram>& latency_;
  prometheus::Family<prometheus::Counter>& failures_;
  prometheus::Family<prometheus::Counter>& transitions_;
  prometheus::Family<prometheus::Gauge>& expiry_;
};

}  // namespace

std::shared_ptr<Metrics> MakePrometheusMetrics(std::shared_ptr<prometheus::Registry> registry) {
  if (!registry) throw std::invalid_argument("MakePrometheusMetrics: registry is null");
  return std::make_shared<PrometheusMetrics>(std::move(registry));
}

}  // namespace leaderelection

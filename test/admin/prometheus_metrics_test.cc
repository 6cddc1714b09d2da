#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "admin/http_client.h"
#include "leaderelection/admin_server.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

// A strict reader of the text format, with what `promtool check metrics` asks for: help and type before the samples,
// names and units as they should be, no series twice. Fails the test on the first line that is not right.
class Exposition {
 public:
  explicit Exposition(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) Read(line);
  }

  double Value(const std::string& series) const {
    const auto found = samples_.find(series);
    if (found != samples_.end()) return found->second;
    ADD_FAILURE() << "no series " << series;
    return -1;
  }

 private:
  void Read(const std::string& line) {
    static const std::regex kHelp("# HELP ([a-z_]+) (\\S.*)");
    static const std::regex kType("# TYPE ([a-z_]+) (counter|gauge|histogram)");
    static const std::regex kSample("([a-z_]+)\\{(([a-z_]+=\"[^\"\\\\]*\",?)+)\\} (\\S+)( [0-9]+)?");
    std::smatch match;
    if (std::regex_match(line, match, kHelp)) {
      EXPECT_TRUE(helped_.insert(match[1]).second) << line;
    } else if (std::regex_match(line, match, kType)) {
      EXPECT_TRUE(types_.emplace(match[1], match[2]).second) << line;
      EXPECT_EQ(match[2] == "counter", match[1].str().ends_with("_total")) << line;
      EXPECT_TRUE(match[2] != "histogram" || match[1].str().ends_with("_seconds")) << line;
    } else if (std::regex_match(line, match, kSample)) {
      std::string family = match[1];
      if (!types_.contains(family)) family = std::regex_replace(family, std::regex("_(bucket|sum|count)$"), "");
      EXPECT_TRUE(types_.contains(family) && helped_.contains(family)) << line;
      EXPECT_TRUE(samples_.emplace(match[1].str() + "{" + match[2].str() + "}", std::stod(match[4])).second) << line;
    } else {
      ADD_FAILURE() << "not the text format: " << line;
    }
  }

  std::set<std::string> helped_;
  std::map<std::string, std::string> types_;
  std::map<std::string, double> samples_;
};

class PrometheusMetrics : public testing::Test {
 protected:
  Exposition Scrape() const {
    const Answer answer = Ask(server_->address(), "GET", "/metrics");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.head, testing::HasSubstr("text/plain; version=0.0.4"));
    return Exposition(answer.body);
  }

  const std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  const std::shared_ptr<Metrics> metrics_ = MakePrometheusMetrics(registry_);
  const std::unique_ptr<AdminServer> server_ = std::move(AdminServer::Start({.registry = registry_})).value();
};

TEST_F(PrometheusMetrics, HasEverySeriesFromTheStart) {
  metrics_->SetLeader("default/demo", false);
  const Exposition seen = Scrape();
  for (const char* name :
       {"leader_election_master_status", "leader_election_slowpath_total", "leader_election_renewals_total",
        "leader_election_transitions_total", "leader_election_expiry_timestamp_seconds",
        "leader_election_renewal_duration_seconds_count"}) {
    EXPECT_EQ(seen.Value(std::string(name) + R"({name="default/demo"})"), 0);
  }
}

TEST_F(PrometheusMetrics, CountsWhatTheElectorTells) {
  metrics_->SetLeader("demo", false);
  metrics_->SetLeader("demo", true);
  metrics_->CountSlowPath("demo");
  metrics_->CountRenewal("demo", 3ms);
  metrics_->CountRenewal("demo", 300ms);
  metrics_->CountFailure("demo", ErrorCode::kTimeout);
  metrics_->CountFailure("demo", ErrorCode::kConflict);
  metrics_->CountFailure("demo", ErrorCode::kConflict);
  metrics_->CountTransition("demo");
  metrics_->SetExpiry("demo", BootClock::now() + 100s);

  const Exposition seen = Scrape();
  EXPECT_EQ(seen.Value(R"(leader_election_master_status{name="demo"})"), 1);
  EXPECT_EQ(seen.Value(R"(leader_election_slowpath_total{name="demo"})"), 1);
  EXPECT_EQ(seen.Value(R"(leader_election_renewals_total{name="demo"})"), 2);
  EXPECT_EQ(seen.Value(R"(leader_election_transitions_total{name="demo"})"), 1);
  EXPECT_EQ(seen.Value(R"(leader_election_request_failures_total{code="timeout",name="demo"})"), 1);
  EXPECT_EQ(seen.Value(R"(leader_election_request_failures_total{code="conflict",name="demo"})"), 2);
  EXPECT_EQ(seen.Value(R"(leader_election_renewal_duration_seconds_bucket{name="demo",le="0.005"})"), 1);
  EXPECT_EQ(seen.Value(R"(leader_election_renewal_duration_seconds_bucket{name="demo",le="+Inf"})"), 2);
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(seen.Value(R"(leader_election_expiry_timestamp_seconds{name="demo"})"), now + 100, 60);
}

TEST_F(PrometheusMetrics, AFollowerHasNoExpiry) {
  metrics_->SetLeader("demo", true);
  metrics_->SetExpiry("demo", BootClock::now() + 100s);
  metrics_->SetLeader("demo", false);
  EXPECT_EQ(Scrape().Value(R"(leader_election_expiry_timestamp_seconds{name="demo"})"), 0);
}

TEST(Metrics, AreNotServedWithoutARegistry) {
  const auto server = std::move(AdminServer::Start({})).value();
  EXPECT_EQ(Ask(server->address(), "GET", "/metrics").status, 404);
}

TEST(Metrics, ANullRegistryIsTheProgrammersMistake) {
  EXPECT_THROW((void)MakePrometheusMetrics(nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace leaderelection

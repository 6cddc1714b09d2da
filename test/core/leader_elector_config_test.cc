#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "leaderelection/leader_elector.h"
#include "leaderelection/memory_lock.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

LeaderElectionConfig Valid() {
  LeaderElectionConfig config;
  config.lock = std::make_shared<MemoryLock>();
  return config;
}

std::string Complaint(LeaderElectionConfig config) {
  try {
    const LeaderElector elector(std::move(config));
    return "none";
  } catch (const std::invalid_argument& thrown) {
    return thrown.what();
  }
}

TEST(LeaderElectionConfig, TheDefaultsAreClientGos) {
  const LeaderElectionConfig config;
  EXPECT_EQ(config.lease_duration, 15s);
  EXPECT_EQ(config.renew_deadline, 10s);
  EXPECT_EQ(config.retry_period, 2s);
  EXPECT_FALSE(config.release_on_cancel);
  EXPECT_EQ(Complaint(Valid()), "none");
}

struct Row {
  const char* name;
  std::function<void(LeaderElectionConfig&)> break_it;
  const char* complaint;
};

class LeaderElectionConfigRule : public ::testing::TestWithParam<Row> {};

TEST_P(LeaderElectionConfigRule, IsChecked) {
  LeaderElectionConfig config = Valid();
  GetParam().break_it(config);
  EXPECT_THAT(Complaint(std::move(config)), HasSubstr(GetParam().complaint)) << GetParam().name;
}

const std::vector<Row> kRules = {
    {"a lock", [](auto& config) { config.lock = nullptr; }, "lock is null"},
    {"an identity", [](auto& config) { config.identity = ""; }, "identity is empty"},
    {"lease greater than renew", [](auto& config) { config.lease_duration = config.renew_deadline; },
     "lease_duration (10000 ms) is not greater than renew_deadline (10000 ms)"},
    {"lease much less than renew", [](auto& config) { config.renew_deadline = 45s; },
     "is not greater than renew_deadline"},
    {"renew greater than 1.2 retries", [](auto& config) { config.retry_period = 8334ms; },
     "renew_deadline (10000 ms) is not greater than 1.2 x retry_period (8334 ms)"},
    {"a positive lease", [](auto& config) { config.lease_duration = -1s; }, "lease_duration is not positive"},
    {"a positive renew deadline", [](auto& config) { config.renew_deadline = 0s; }, "renew_deadline is not positive"},
    {"a positive retry period", [](auto& config) { config.retry_period = 0s; }, "retry_period is not positive"},
    {"a lease of a day at most", [](auto& config) { config.lease_duration = 25h; }, "is longer than a day"},
    {"renewals before the deadline", [](auto& config) { config.renew_interval = 10s; },
     "renew_interval (10000 ms) is not less than renew_deadline"},
    {"no negative interval", [](auto& config) { config.renew_interval = -1ms; }, "renew_interval is negative"},
    {"no negative drain time-out", [](auto& config) { config.drain_timeout = -1ms; }, "drain_timeout is negative"},
};

INSTANTIATE_TEST_SUITE_P(All, LeaderElectionConfigRule, ::testing::ValuesIn(kRules));

TEST(LeaderElectionConfig, AllWrongFieldsAreNamedInOneMessage) {
  LeaderElectionConfig config;
  config.identity = "";
  config.lease_duration = 0s;
  config.renew_deadline = 0s;
  config.retry_period = 0s;
  config.drain_timeout = -1s;
  const std::string complaint = Complaint(config);
  for (const char* field : {"lock is null", "identity is empty", "lease_duration is not positive",
                            "renew_deadline is not positive", "retry_period is not positive", "drain_timeout"}) {
    EXPECT_THAT(complaint, HasSubstr(field));
  }
}

TEST(LeaderElectionConfig, TheLeastAllowedRetryPeriodPasses) {
  LeaderElectionConfig config = Valid();
  config.retry_period = 8333ms;
  EXPECT_EQ(Complaint(std::move(config)), "none");
}

TEST(DefaultIdentity, IsHostProcessAndChance) {
  std::set<std::string> seen;
  for (int count = 0; count < 100; ++count) seen.insert(DefaultIdentity());
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_THAT(*seen.begin(), HasSubstr("_" + std::to_string(getpid()) + "_"));
}

}  // namespace
}  // namespace leaderelection

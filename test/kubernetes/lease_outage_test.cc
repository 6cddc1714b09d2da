// The API server goes away and comes back. These take it from everyone, so they run alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/scripted_api.h"
#include "kubernetes/test_cluster.h"
#include "leaderelection/testing/lock_contract.h"
#include "leaderelection/testing/watch_log.h"

namespace leaderelection::testing {

// Only its matchers are used here.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

namespace {

using namespace std::chrono_literals;
using contract::FailedWith;
using contract::HeldBy;
using contract::Succeeded;
using Kind = WatchEvent::Kind;

class LeaseOutage : public OnCluster {
 protected:
  const TestCluster& cluster_ = TestCluster::Get();
};

TEST_F(LeaseOutage, AfterARestartTheSameLockWritesTheSameVersionAndTheWatchGoesOn) {
  const LockClient lock = cluster_.Connect("elector", lease_);
  WatchLog log(60s);
  const auto watch = lock.lock().Observe(log.Recorder());
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  cluster_.Server("restart");
  const auto updated = lock.Update(HeldBy("a", 1), created->version);
  ASSERT_TRUE(Succeeded(updated));
  EXPECT_TRUE(log.WaitForWrite(updated->version.order));
  EXPECT_TRUE(log.OrdersNeverFall());
}

TEST_F(LeaseOutage, AWatchThatIsKilledIsLostAndThenLiveAgain) {
  const LockClient lock = cluster_.Connect("elector", lease_);
  WatchLog log(120s);
  const auto watch = lock.lock().Observe(log.Recorder());
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  cluster_.Server("kill");
  EXPECT_TRUE(log.WaitForKind(Kind::kLost));
  EXPECT_TRUE(FailedWith(lock.Get(BootClock::now() + 5s), {ErrorCode::kUnknown, ErrorCode::kTimeout}));
  cluster_.Server("restart");
  const auto updated = lock.Update(HeldBy("a", 1), created->version);
  ASSERT_TRUE(Succeeded(updated));
  EXPECT_TRUE(log.WaitForWrite(updated->version.order));
  std::size_t lost = 0;
  std::size_t live = 0;
  for (const WatchEvent& event : log.events()) {
    lost += event.kind == Kind::kLost;
    live += event.kind == Kind::kLive;
  }
  EXPECT_EQ(live, lost + 1);
}

TEST_F(LeaseOutage, AServerThatStandsStillIsATimeoutAndNothingIsLostOfIt) {
  const LockClient lock = cluster_.Connect("elector", lease_);
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  cluster_.Server("stop");
  const auto stalled = lock.Update(BootClock::now() + 1s, HeldBy("a", 1), created->version);
  cluster_.Server("cont");
  EXPECT_TRUE(FailedWith(stalled, {ErrorCode::kTimeout}));
  // It may have landed: only a read tells.
  const auto read = lock.Get();
  ASSERT_TRUE(Succeeded(read));
  EXPECT_TRUE(read->record == created->record || read->record == HeldBy("a", 1));
  EXPECT_TRUE(Succeeded(lock.Update(HeldBy("a", 2), read->version)));
}

// Beyond the fourth, they share one.
class SharedLeaseOutage : public LeaseOutage {
 protected:
  static constexpr std::size_t kLocks = 20;

  void Observe(const std::string& user, LogSink sink = nullptr) {
    const auto client = cluster_.Client(user, std::move(sink));
    for (std::size_t i = 0; i < kLocks; ++i) {
      locks_.emplace_back(
          std::make_shared<LeaseLock>(client, LeaseLockOptions{.lease_namespace = cluster_.name_space(),
                                                               .lease_name = lease_ + "-" + std::to_string(i)}),
          60s);
      logs_.emplace_back(120s);
      watches_.push_back(locks_.back().lock().Observe(logs_.back().Recorder()));
    }
    for (const WatchLog& log : logs_) ASSERT_TRUE(log.WaitForKind(Kind::kLive));
  }
  void CreateAll() {
    for (std::size_t i = 0; i < kLocks; ++i) {
      const auto created = locks_[i].Create(HeldBy("a"));
      ASSERT_TRUE(Succeeded(created));
      ASSERT_TRUE(logs_[i].WaitForWrite(created->version.order));
      versions_.push_back(created->version);
    }
  }
  // Every one is told of its write.
  void UpdateAll(int number) {
    for (std::size_t i = 0; i < kLocks; ++i) {
      const auto updated = locks_[i].Update(HeldBy("a", number), versions_[i]);
      ASSERT_TRUE(Succeeded(updated));
      EXPECT_TRUE(logs_[i].WaitForWrite(updated->version.order)) << i;
      EXPECT_TRUE(logs_[i].OrdersNeverFall()) << i;
      versions_[i] = updated->version;
    }
  }

  std::vector<LockClient> locks_;
  std::vector<WatchLog> logs_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::vector<Version> versions_;
};

// The server that is back knows nothing of the versions before it: the watch on the namespace begins anew.
TEST_F(SharedLeaseOutage, AfterARestartEachIsToldOfItsOwnAgain) {
  const int before = cluster_.CountInAuditLog("candidate-2", "watch");
  Observe("candidate-2");
  CreateAll();
  cluster_.Server("restart");
  UpdateAll(1);
  EXPECT_LT(cluster_.CountInAuditLog("candidate-2", "watch") - before, static_cast<int>(kLocks))
      << "they have not gone apart";
}

// From then on only Leases of these names may be watched. A refusal has to last a minute before it counts.
TEST_F(SharedLeaseOutage, WherePermissionForTheNamespaceIsTakenAwayEachHasItsOwn) {
  const auto allow = [&](const std::string& role, const std::string& names) {
    cluster_.Kubectl("create role " + role + " --verb=watch --resource=leases.coordination.k8s.io" + names);
    cluster_.Kubectl("create rolebinding " + role + " --role=" + role + " --serviceaccount=" + cluster_.name_space() +
                     ":no-watch");
  };
  const auto forbid = [&](const std::string& role) { cluster_.Kubectl("delete role,rolebinding " + role); };
  std::string names;
  for (std::size_t i = 0; i < kLocks; ++i) names += " --resource-name=" + lease_ + "-" + std::to_string(i);
  allow(lease_ + "-all", "");
  allow(lease_ + "-some", names);
  const LogNotes notes;
  Observe("no-watch", notes.Sink());
  EXPECT_EQ(notes.Count("watching each one instead"), 0);
  CreateAll();
  forbid(lease_ + "-all");
  cluster_.Server("restart");
  for (const WatchLog& log : logs_) {
    // Lost with the server, and live once more.
    ASSERT_TRUE(log.WaitFor([seen = 0](const WatchEvent& event) mutable {
      seen += event.kind == Kind::kLive;
      return seen == 2;
    }));
  }
  UpdateAll(1);
  EXPECT_EQ(notes.Count("watching each one instead"), 1);
  EXPECT_EQ(notes.Count("polling instead"), 0);
  forbid(lease_ + "-some");
}

}  // namespace
}  // namespace leaderelection::testing

// What only a real API server can show.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "kubernetes/api_client.h"
#include "kubernetes/lease_codec.h"
#include "kubernetes/lease_path.h"
#include "kubernetes/scripted_api.h"
#include "kubernetes/test_cluster.h"
#include "leaderelection/testing/lock_contract.h"
#include "leaderelection/testing/watch_log.h"
#include "net/answer_box.h"

namespace leaderelection::testing {

// Only its matchers are used here.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

namespace {

using namespace std::chrono_literals;
using contract::FailedWith;
using contract::HeldBy;
using contract::Succeeded;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Kind = WatchEvent::Kind;

class LeaseOnCluster : public OnCluster {
 protected:
  const TestCluster& cluster_ = TestCluster::Get();
};

int ThreadsOfThisProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return 0;
}

// One test, for there is one such Lease.
TEST_F(LeaseOnCluster, GetUpdateAndWatchOnOneLeaseAreAllThatIsNeeded) {
  const LockClient least = cluster_.Connect("least", cluster_.precreated_lease());
  WatchLog log(60s);
  const auto watch = least.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(Kind::kLive));
  const auto read = least.Get();
  ASSERT_TRUE(Succeeded(read));
  const auto written = least.Update(HeldBy("least", static_cast<int>(read->version.order)), read->version);
  ASSERT_TRUE(Succeeded(written));
  EXPECT_TRUE(log.WaitForWrite(written->version.order));
  EXPECT_TRUE(FailedWith(least.Create(HeldBy("least")), {ErrorCode::kDenied}));
  EXPECT_TRUE(FailedWith(cluster_.Connect("least", lease_).Get(), {ErrorCode::kDenied}));
  const auto released = least.Update(HeldBy(""), written->version);
  EXPECT_TRUE(Succeeded(released));
}

TEST_F(LeaseOnCluster, WithoutPermissionToWatchItSaysSoOnceAndTheRestWorks) {
  const LogNotes notes;
  const LockClient lock = cluster_.Connect("no-watch", lease_, notes.Sink());
  WatchLog log(60s);
  const auto watch = lock.lock().Observe(log.Recorder());
  const auto refused = log.WaitForKind(Kind::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->error.message, AllOf(HasSubstr("403"), HasSubstr("cannot watch resource")));
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  EXPECT_TRUE(Succeeded(lock.Update(HeldBy("a", 1), created->version)));
  EXPECT_EQ(notes.Count("polling instead"), 1);
  EXPECT_EQ(log.events().size(), 1U);
}

// Why the uid must stay in what is written.
TEST_F(LeaseOnCluster, APutWithoutUidBringsADeletedLeaseBackAndOursDoesNot) {
  const auto client = cluster_.Client("elector");
  const LeaseName name{cluster_.name_space(), lease_};
  const LockClient lock(std::make_shared<LeaseLock>(
                            client, LeaseLockOptions{.lease_namespace = name.name_space, .lease_name = name.name}),
                        60s);
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  cluster_.Kubectl("delete lease " + lease_);
  EXPECT_TRUE(FailedWith(lock.Update(HeldBy("a", 1), created->version), {ErrorCode::kConflict}));
  EXPECT_TRUE(FailedWith(lock.Get(), {ErrorCode::kNotFound}));

  Json without_uid = OriginOf(created->version);
  without_uid["metadata"].erase("uid");
  without_uid["metadata"].erase("resourceVersion");
  AnswerBox<Result<http::Response>> box;
  client->api()->Send(
      {.method = "PUT", .target = LeasePath(name), .body = without_uid.dump(), .deadline = lock.Deadline()},
      [&box](Result<http::Response> response) { box.Put(std::move(response)); });
  const auto response = box.Take();
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->status, 201);
}

TEST_F(LeaseOnCluster, WhatKubectlWritesIntoTheLeaseStays) {
  const LockClient lock = cluster_.Connect("elector", lease_);
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  cluster_.Kubectl("label lease " + lease_ + " team=blue");
  cluster_.Kubectl("annotate lease " + lease_ + " example.com/note=kept");
  EXPECT_TRUE(FailedWith(lock.Update(HeldBy("a", 1), created->version), {ErrorCode::kConflict}));
  const auto read = lock.Get();
  ASSERT_TRUE(Succeeded(read));
  EXPECT_EQ(read->record, created->record) << "labels are no part of the record";
  Record described = HeldBy("a", 1);
  described.metadata = {{"zone", "z"}};
  const auto held = lock.Update(described, read->version);
  ASSERT_TRUE(Succeeded(held));
  EXPECT_EQ(cluster_.Kubectl("get lease " + lease_ +
                             " -o jsonpath='{.metadata.labels.team} "
                             "{.metadata.annotations.example\\.com/note} "
                             "{.metadata.annotations.metadata\\.leaderelection\\.io/zone}'"),
            "blue kept z");
  ASSERT_TRUE(Succeeded(lock.Update(HeldBy("", 2), held->version)));
  EXPECT_EQ(cluster_.Kubectl("get lease " + lease_ + " -o jsonpath='{.metadata.annotations}'"),
            R"({"example.com/note":"kept"})");
}

TEST_F(LeaseOnCluster, KubectlShowsWhatUsersOfClientGoExpect) {
  const auto lock = cluster_.Lock("elector", lease_);
  const LockClient client(lock, 60s);
  ASSERT_TRUE(Succeeded(client.Create(HeldBy("me_1"))));
  EXPECT_THAT(cluster_.Kubectl("get lease " + lease_),
              AllOf(ContainsRegex("NAME +HOLDER +AGE"), ContainsRegex(lease_ + " +me_1 +[0-9]")));
  lock->RecordEvent("me_1", "became leader");
  lock->RecordEvent("me_1", "stopped leading");
  const MonotonicTime end = BootClock::now() + 60s;
  std::string described;
  do {
    described = cluster_.Kubectl("describe lease " + lease_);
  } while (described.find("stopped leading") == std::string::npos && BootClock::now() < end);
  EXPECT_THAT(described,
              AllOf(ContainsRegex("Holder Identity: +me_1"), ContainsRegex("Lease Duration Seconds: +60"),
                    ContainsRegex("Lease Transitions: +3"), ContainsRegex("Acquire Time: +2024-05-15T00:00:00.123456Z"),
                    ContainsRegex("Renew Time: +2024-05-15T00:00:00.123457Z")));
  EXPECT_THAT(described, AllOf(ContainsRegex("Normal +LeaderElection +.* me_1 became leader"),
                               ContainsRegex("Normal +LeaderElection +.* me_1 stopped leading")));
}

TEST_F(LeaseOnCluster, ANamespaceThatIsNotThereIsNamed) {
  const LockClient lock(
      std::make_shared<LeaseLock>(cluster_.Client("admin"),
                                  LeaseLockOptions{.lease_namespace = "nowhere", .lease_name = "demo"}),
      60s);
  EXPECT_TRUE(FailedWith(lock.Get(), {ErrorCode::kNotFound}));
  const auto created = lock.Create(HeldBy("a"));
  EXPECT_TRUE(FailedWith(created, {ErrorCode::kInvalid}));
  EXPECT_THAT(created.error().message, HasSubstr("namespaces \"nowhere\" not found"));
}

TEST_F(LeaseOnCluster, WhatTheServerFindsInvalidIsSaidInItsWords) {
  const LockClient lock(
      std::make_shared<LeaseLock>(cluster_.Client("elector"), LeaseLockOptions{.lease_namespace = cluster_.name_space(),
                                                                               .lease_name = lease_,
                                                                               .labels = {{"no label", "x"}}}),
      60s);
  const auto created = lock.Create(HeldBy("a"));
  EXPECT_TRUE(FailedWith(created, {ErrorCode::kInvalid}));
  EXPECT_THAT(created.error().message, AllOf(HasSubstr("422"), HasSubstr("metadata.labels")));
}

TEST_F(LeaseOnCluster, OwnLabelsAreSet) {
  const LockClient lock(
      std::make_shared<LeaseLock>(cluster_.Client("elector"), LeaseLockOptions{.lease_namespace = cluster_.name_space(),
                                                                               .lease_name = lease_,
                                                                               .labels = {{"app", "demo"}}}),
      60s);
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  cluster_.Kubectl("label --overwrite lease " + lease_ + " app=other team=blue");
  const auto read = lock.Get();
  ASSERT_TRUE(Succeeded(lock.Update(HeldBy("a", 1), read->version)));
  EXPECT_EQ(cluster_.Kubectl("get lease " + lease_ + " -o jsonpath='{.metadata.labels.app} {.metadata.labels.team}'"),
            "demo blue");
}

// All that many locks of one client need, together.
class ManyOnCluster : public LeaseOnCluster {
 protected:
  void Observe(const std::shared_ptr<KubeClient>& client, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) Observe(client, lease_ + "-" + std::to_string(i));
  }
  void Observe(const std::shared_ptr<KubeClient>& client, const std::string& lease) {
    locks_.push_back(std::make_shared<LeaseLock>(
        client, LeaseLockOptions{.lease_namespace = cluster_.name_space(), .lease_name = lease}));
    logs_.emplace_back(60s);
    watches_.push_back(locks_.back()->Observe(logs_.back().Recorder()));
  }
  void AwaitLive() {
    for (const WatchLog& log : logs_) ASSERT_TRUE(log.WaitForKind(Kind::kLive));
  }
  // Each hears of its own.
  void CreateAll() {
    std::vector<PendingAnswer> created(locks_.size());
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      locks_[i]->Create(BootClock::now() + 60s, HeldBy("a"), created[i].MakeDone());
    }
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      const auto answer = created[i].Wait(60s);
      ASSERT_TRUE(Succeeded(answer));
      EXPECT_TRUE(logs_[i].WaitForWrite(answer->version.order));
    }
  }

  std::vector<std::shared_ptr<LeaseLock>> locks_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::vector<WatchLog> logs_;
};

int ConnectionsOfThisProcess() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    count += std::filesystem::read_symlink(entry, gone).string().starts_with("socket:");
  }
  return count;
}

TEST_F(ManyOnCluster, TwoHundredLocksAndWatchesNeedFewThreadsConnectionsAndWatches) {
  const auto watched = [&] { return cluster_.CountInAuditLog("candidate-2", "watch"); };
  const int before = watched();
  Observe(cluster_.Client("candidate-2"), 200);
  AwaitLive();
  CreateAll();
  EXPECT_LE(ThreadsOfThisProcess(), 10);
  EXPECT_LE(ConnectionsOfThisProcess(), 32 + 5 + 2) << "requests, watches, and what a test has open";
  EXPECT_LE(watched() - before, 5) << "four watches of one Lease each, and one of the namespace";
}

// "least" may watch this one Lease, and not the namespace.
TEST_F(ManyOnCluster, WhereOnlyTheLeaseMayBeWatchedEachHasItsOwn) {
  const LogNotes notes;
  const auto client = cluster_.Client("least", notes.Sink());
  for (int i = 0; i < 7; ++i) Observe(client, cluster_.precreated_lease());
  AwaitLive();
  EXPECT_EQ(notes.Count("watching each one instead"), 1);
  EXPECT_EQ(notes.Count("polling instead"), 0);
}

TEST_F(ManyOnCluster, WithoutPermissionToWatchAllPoll) {
  const LogNotes notes;
  Observe(cluster_.Client("no-watch", notes.Sink()), 7);
  for (const WatchLog& log : logs_) {
    ASSERT_TRUE(log.WaitForKind(Kind::kRefused));
    EXPECT_EQ(log.events().size(), 1U);
  }
}

}  // namespace
}  // namespace leaderelection::testing

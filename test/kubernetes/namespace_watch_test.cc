// Many Leases of one namespace, observed by the locks of one client.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/scripted_watches.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using testing::Bookmark;
using testing::Breaks;
using ::testing::HasSubstr;
using testing::KindsOf;
using testing::kJson;
using ::testing::Not;
using testing::Reply;
using testing::ScriptedApi;
using testing::Sends;
using testing::StatusBody;
using testing::Stays;
using testing::Watches;
using testing::WatchLog;
using testing::WatchScript;
using Kind = WatchEvent::Kind;

std::string Event(const std::string& type, const std::string& name, int version) {
  return testing::Event(type, testing::LeaseBody(version, "a", name));
}

// One lock, with its watch.
struct Observed {
  Observed(const std::shared_ptr<KubeClient>& client, const std::string& name)
      : lock(client, {.lease_namespace = "default", .lease_name = name}), watch(lock.Observe(log.Recorder())) {}

  LeaseLock lock;
  WatchLog log{60s};
  std::unique_ptr<Watch> watch;
};

// Four Leases have a watch of their own, which stays; the scripts are for the one on the namespace.
class NamespaceWatch : public ::testing::Test {
 protected:
  void Serve(std::vector<WatchScript> scripts) {
    server_ = std::make_unique<Watches>(std::move(scripts), Watches::Of::kNamespaces);
    api_ = std::make_unique<ScriptedApi>(*server_);
    client_ = api_->Client();
    for (const char* name : {"own-1", "own-2", "own-3", "own-4"}) own_.push_back(Observe(name));
  }
  std::unique_ptr<Observed> Observe(const std::string& name) { return std::make_unique<Observed>(client_, name); }

  std::unique_ptr<Watches> server_;
  std::unique_ptr<ScriptedApi> api_;
  std::shared_ptr<KubeClient> client_;
  std::vector<std::unique_ptr<Observed>> own_;
};

TEST_F(NamespaceWatch, FewLeasesAskForNoOther) {
  Serve({Stays("")});
  for (const auto& own : own_) ASSERT_TRUE(own->log.WaitForKind(Kind::kLive));
  EXPECT_EQ(server_->OfOneLease().size(), 4U);
  EXPECT_EQ(server_->OfNamespace().size(), 0U);
}

TEST_F(NamespaceWatch, AHundredMoreShareOneAndEachHearsOfHisOwn) {
  std::string lines = Event("ADDED", "stranger", 90);
  for (int i = 0; i < 100; ++i) lines += Event("MODIFIED", "lease-" + std::to_string(i), 100 + i);
  lines += Event("DELETED", "lease-7", 300);
  Serve({Stays(lines)});
  // Before the reply they are all there, or else they hear kLive and read for themselves.
  std::vector<std::unique_ptr<Observed>> all;
  for (int i = 0; i < 100; ++i) all.push_back(Observe("lease-" + std::to_string(i)));
  for (const auto& one : own_) EXPECT_TRUE(one->log.WaitForKind(Kind::kLive));
  for (const auto& one : all) EXPECT_TRUE(one->log.WaitForKind(Kind::kLive));
  EXPECT_EQ(server_->OfNamespace().size(), 1U);
  EXPECT_EQ(server_->OfOneLease().size(), 4U);
  EXPECT_THAT(server_->OfNamespace().at(0), HasSubstr("allowWatchBookmarks=true"));
  for (std::size_t i = 0; i < 100; ++i) {
    for (const WatchEvent& event : all[i]->log.events()) {
      if (event.kind == Kind::kChanged) {
        EXPECT_EQ(event.stored.version.order, 100 + i);
      }
      if (event.kind == Kind::kDeleted) {
        EXPECT_EQ(i, 7U);
      }
    }
  }
}

TEST_F(NamespaceWatch, TwoOfOneLeaseAreBothTold) {
  Serve({Stays(Event("MODIFIED", "five", 5) + Event("DELETED", "five", 6))});
  const auto first = Observe("five");
  const auto second = Observe("five");
  // Who came after the event was told that he is live, and has to read.
  ASSERT_TRUE(first->log.WaitForKind(Kind::kDeleted));
  ASSERT_TRUE(second->log.WaitForKind(Kind::kLive));
  EXPECT_EQ(KindsOf(first->log), (std::vector{Kind::kLive, Kind::kChanged, Kind::kDeleted}));
}

// Where only certain Leases may be watched.
TEST_F(NamespaceWatch, WhereTheNamespaceIsRefusedEachHasItsOwn) {
  Serve({Sends(Reply(403, StatusBody(403, "leases is forbidden"), kJson))});
  const auto five = Observe("five");
  const auto six = Observe("six");
  ASSERT_TRUE(five->log.WaitForKind(Kind::kLive));
  ASSERT_TRUE(six->log.WaitForKind(Kind::kLive));
  EXPECT_EQ(KindsOf(five->log), std::vector{Kind::kLive});
  EXPECT_EQ(server_->OfOneLease().size(), 6U);
  EXPECT_EQ(api_->log().Count("watching each one instead"), 1);
  EXPECT_EQ(api_->log().Count("polling instead"), 0);
  const std::size_t refused = server_->OfNamespace().size();
  const auto seven = Observe("seven");
  ASSERT_TRUE(seven->log.WaitForKind(Kind::kLive));
  EXPECT_EQ(server_->OfNamespace().size(), refused) << "a refusal is remembered";
}

TEST_F(NamespaceWatch, WhatCameBeforeABookmarkIsNoPlaceToGoOnFrom) {
  // The Leases as they are come in the order of their names: the newest may be the first.
  Serve({Breaks(Event("ADDED", "five", 70)),
         Breaks(Event("ADDED", "five", 70) + Bookmark(80) + Event("MODIFIED", "six", 81)),
         Stays(Event("MODIFIED", "six", 90))});
  const auto five = Observe("five");
  const auto six = Observe("six");
  ASSERT_TRUE(six->log.WaitForWrite(90));
  const auto targets = server_->OfNamespace();
  ASSERT_GE(targets.size(), 3U);
  EXPECT_THAT(targets[1], Not(HasSubstr("resourceVersion=")));
  EXPECT_THAT(targets[2], HasSubstr("&resourceVersion=81"));
  EXPECT_EQ(KindsOf(five->log).back(), Kind::kLive) << "who shares is told of every break";
  EXPECT_TRUE(six->log.OrdersNeverFall());
}

TEST_F(NamespaceWatch, AVersionThatIsTooOldIsLostAndBegunAnewForAll) {
  const std::string gone = R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"message":"too old"})";
  Serve({Breaks(Bookmark(80)), Sends(Reply(410, gone, kJson)),
         Stays(Event("ADDED", "five", 90) + Event("ADDED", "six", 91))});
  const auto five = Observe("five");
  const auto six = Observe("six");
  ASSERT_TRUE(five->log.WaitForWrite(90));
  ASSERT_TRUE(six->log.WaitForWrite(91));
  EXPECT_EQ(KindsOf(six->log), (std::vector{Kind::kLive, Kind::kLost, Kind::kLive, Kind::kChanged}));
  EXPECT_THAT(server_->OfNamespace().at(1), HasSubstr("&resourceVersion=80"));
  EXPECT_THAT(server_->OfNamespace().at(2), Not(HasSubstr("resourceVersion=")));
}

TEST_F(NamespaceWatch, WhatIsNoRecordIsLeftToAReadOfThatLeaseAlone) {
  std::string spoiled = Event("MODIFIED", "five", 5);
  spoiled.replace(spoiled.find("\"a\""), 3, "7");
  Serve({Stays(spoiled + Event("MODIFIED", "five", 6) + Event("MODIFIED", "six", 7))});
  const auto five = Observe("five");
  const auto six = Observe("six");
  ASSERT_TRUE(five->log.WaitForWrite(6));
  EXPECT_EQ(KindsOf(five->log), (std::vector{Kind::kLive, Kind::kLost, Kind::kLive, Kind::kChanged}));
  for (const Kind kind : KindsOf(six->log)) EXPECT_NE(kind, Kind::kLost);
}

TEST_F(NamespaceWatch, TheLastWhoSharesEndsItAndTheNextBeginsItAgain) {
  Serve({Stays("")});
  auto five = Observe("five");
  auto six = Observe("six");
  ASSERT_TRUE(five->log.WaitForKind(Kind::kLive));
  five.reset();
  six.reset();
  const auto seven = Observe("seven");
  ASSERT_TRUE(seven->log.WaitForKind(Kind::kLive));
  EXPECT_EQ(server_->OfNamespace().size(), 2U);
}

TEST_F(NamespaceWatch, AllMayGoInACallback) {
  Serve({Stays(Event("MODIFIED", "five", 5))});
  std::unique_ptr<Observed> six;
  std::unique_ptr<Watch> five;
  std::promise<void> is_set;
  std::promise<void> is_gone;
  LeaseLock lock(client_, {.lease_namespace = "default", .lease_name = "five"});
  five = lock.Observe([&, ready = is_set.get_future().share()](const WatchEvent& event) {
    if (event.kind != Kind::kChanged) return;
    ready.wait();
    six.reset();
    five.reset();
    own_.clear();
    is_gone.set_value();
  });
  six = Observe("six");
  client_.reset();
  is_set.set_value();
  EXPECT_EQ(is_gone.get_future().wait_for(60s), std::future_status::ready);
}

}  // namespace
}  // namespace leaderelection

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "kubernetes/scripted_watches.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using testing::Bookmark;
using testing::Breaks;
using testing::Chunk;
using testing::Conversation;
using testing::Event;
using ::testing::HasSubstr;
using testing::kChunkedHead;
using testing::KindsOf;
using testing::kJson;
using testing::kLastChunk;
using testing::LeaseBody;
using testing::LockClient;
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

struct Observed {
  explicit Observed(const Watches& server) : watches(server), api(server), lock(api.Connect()) {
    watch = lock.lock().Observe(log.Recorder());
  }
  std::string TargetOf(std::size_t number) const {
    const auto asked = watches.notes().all();
    return number < asked.size() ? asked[number].target : "";
  }

  const Watches watches;
  const ScriptedApi api;
  const LockClient lock;
  WatchLog log{60s};
  std::unique_ptr<Watch> watch;
};

TEST(LeaseWatch, AsksForOneLeaseWithBookmarks) {
  const Observed observed(Watches({Stays("")}));
  ASSERT_TRUE(observed.log.WaitForKind(Kind::kLive));
  EXPECT_THAT(
      observed.TargetOf(0),
      AllOf(HasSubstr("/namespaces/default/leases?watch=1"), HasSubstr("fieldSelector=metadata.name%3Ddemo"),
            HasSubstr("allowWatchBookmarks=true"), HasSubstr("timeoutSeconds="), Not(HasSubstr("resourceVersion="))));
}

TEST(LeaseWatch, TellsChangesHoweverTheyAreCutIntoPieces) {
  const std::string lines =
      Event("ADDED", LeaseBody(5, "a")) + Event("MODIFIED", LeaseBody(6, "b")) + Event("DELETED", LeaseBody(9, "b"));
  const Observed observed(Watches({[lines](Conversation& client) {
    client.Send(kChunkedHead);
    for (std::size_t at = 0; at < lines.size(); at += 7) client.Send(Chunk(std::string_view(lines).substr(at, 7)));
    client.Swallow();
    return false;
  }}));
  const auto deleted = observed.log.WaitForKind(Kind::kDeleted);
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->stored.version.order, 9U);
  EXPECT_EQ(KindsOf(observed.log), (std::vector{Kind::kLive, Kind::kChanged, Kind::kChanged, Kind::kDeleted}));
  EXPECT_EQ(observed.log.events()[2].stored.record.holder_identity, "b");
}

TEST(LeaseWatch, AReplyThatEndsInItsTimeIsContinuedWithoutAWord) {
  const Observed observed(Watches({[](Conversation& client) {
                                     client.Send(kChunkedHead);
                                     client.Send(Chunk(Event("ADDED", LeaseBody(5)) + Bookmark(40)));
                                     client.Pause(2500ms);
                                     return client.Send(kLastChunk);
                                   },
                                   Stays(Event("MODIFIED", LeaseBody(41)))}));
  ASSERT_TRUE(observed.log.WaitForWrite(41));
  EXPECT_EQ(KindsOf(observed.log), (std::vector{Kind::kLive, Kind::kChanged, Kind::kChanged}));
  EXPECT_THAT(observed.TargetOf(1), HasSubstr("&resourceVersion=40"));
}

TEST(LeaseWatch, AVersionThatIsTooOldMeansBeginningAnew) {
  const std::string gone = R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"message":"too old"})";
  const std::string refused = Reply(410, gone, kJson);
  const std::string told = std::string(kChunkedHead) + Chunk(Event("ERROR", gone));
  for (const std::string& expiry : {refused, told}) {
    const Observed observed(
        Watches({Breaks(Event("ADDED", LeaseBody(5))), Sends(expiry), Stays(Event("ADDED", LeaseBody(70)))}));
    ASSERT_TRUE(observed.log.WaitForWrite(70));
    EXPECT_THAT(observed.TargetOf(1), HasSubstr("&resourceVersion=5"));
    EXPECT_THAT(observed.TargetOf(2), Not(HasSubstr("resourceVersion=")));
    const auto kinds = KindsOf(observed.log);
    EXPECT_EQ(std::vector(kinds.begin(), kinds.begin() + 3), (std::vector{Kind::kLive, Kind::kChanged, Kind::kLost}));
    EXPECT_EQ(std::vector(kinds.end() - 2, kinds.end()), (std::vector{Kind::kLive, Kind::kChanged}));
  }
}

// A server that has just started does this, until it has read who may do what.
TEST(LeaseWatch, AServerThatForbidsOnlyAtFirstIsAskedAgain) {
  const auto forbidden = Sends(Reply(403, StatusBody(403, "leases is forbidden"), kJson));
  const Observed observed(Watches({forbidden, forbidden, Stays(Event("ADDED", LeaseBody(5)))}));
  ASSERT_TRUE(observed.log.WaitForWrite(5));
  EXPECT_EQ(KindsOf(observed.log), (std::vector{Kind::kLive, Kind::kChanged}));
}

TEST(LeaseWatch, AForbiddenWatchIsRefusedOnceAndNotTriedAgain) {
  const Observed observed(Watches({Sends(Reply(403, StatusBody(403, "leases is forbidden"), kJson))}));
  const auto refused = observed.log.WaitForKind(Kind::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error.code, ErrorCode::kDenied);
  EXPECT_THAT(refused->error.message, HasSubstr("leases is forbidden"));
  EXPECT_EQ(KindsOf(observed.log), std::vector{Kind::kRefused});
  const MonotonicTime end = BootClock::now() + 60s;
  while (observed.api.log().Count("polling instead") == 0) ASSERT_LT(BootClock::now(), end);
  EXPECT_EQ(observed.api.log().Count("polling instead"), 1);
  EXPECT_LE(observed.watches.notes().all().size(), 20U);
}

TEST(LeaseWatch, ARefusedTokenIsReplacedAndTheWatchGoesOn) {
  const Watches watches({Sends(Reply(401, StatusBody(401), kJson)), Stays(Event("ADDED", LeaseBody(5)))});
  const ScriptedApi api(watches);
  const LockClient lock = api.Connect();
  api.WriteToken("second-canary");
  const WatchLog log(60s);
  const auto watch = lock.lock().Observe(WatchLog(log).Recorder());
  ASSERT_TRUE(log.WaitForWrite(5));
  EXPECT_EQ(watches.notes().all().at(1).Header("Authorization"), "Bearer second-canary");
}

TEST(LeaseWatch, FailuresOfAllKindsAreLostAndTriedAgain) {
  const std::string begin = std::string(kChunkedHead) + Chunk(Event("ADDED", LeaseBody(5)));
  struct Row {
    const char* name;
    WatchScript script;
  };
  const Row rows[] = {
      {"reset", Breaks(Event("ADDED", LeaseBody(5)))},
      {"ended at once", Sends(begin + std::string(kLastChunk))},
      {"no JSON", Sends(begin + Chunk("nonsense\n"))},
      {"no object", Sends(begin + Chunk("{\"type\":\"ADDED\"}\n"))},
      {"too large", Sends(begin + Chunk(std::string(3 << 20, 'x')))},
      {"server error", Sends(begin + Chunk(Event("ERROR", StatusBody(500))))},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Observed observed(Watches({row.script, Stays(Event("ADDED", LeaseBody(6)))}));
    ASSERT_TRUE(observed.log.WaitForWrite(6));
    EXPECT_EQ(KindsOf(observed.log),
              (std::vector{Kind::kLive, Kind::kChanged, Kind::kLost, Kind::kLive, Kind::kChanged}));
  }
}

TEST(LeaseWatch, AServerThatIsNotReadyIsAskedAgain) {
  const Observed observed(Watches({Sends(Reply(503, StatusBody(503), kJson)), Sends(Reply(502, "<html>", "")),
                                   Sends(Reply(429, StatusBody(429), kJson)), Stays("")}));
  ASSERT_TRUE(observed.log.WaitForKind(Kind::kLive));
  EXPECT_EQ(KindsOf(observed.log), std::vector{Kind::kLive});
  EXPECT_EQ(observed.watches.notes().all().size(), 4U);
}

TEST(LeaseWatch, WhatIsNoRecordIsLeftToARead) {
  std::string spoiled = LeaseBody(5);
  spoiled.replace(spoiled.find("\"a\""), 3, "7");
  const Observed observed(Watches({Stays(Event("ADDED", spoiled) + Event("MODIFIED", LeaseBody(6)))}));
  ASSERT_TRUE(observed.log.WaitForWrite(6));
  EXPECT_EQ(KindsOf(observed.log), (std::vector{Kind::kLive, Kind::kLost, Kind::kLive, Kind::kChanged}));
}

TEST(LeaseWatch, MayBeDestroyedInItsOwnCallback) {
  const Watches watches({Stays(Event("ADDED", LeaseBody(5)))});
  const ScriptedApi api(watches);
  LockClient lock = api.Connect();
  std::unique_ptr<Watch> watch;
  std::promise<void> is_set;
  std::promise<void> is_gone;
  watch = lock.lock().Observe([&, ready = is_set.get_future().share()](const WatchEvent& event) {
    if (event.kind != Kind::kChanged) return;
    ready.wait();
    watch.reset();
    is_gone.set_value();
  });
  lock.Disconnect();  // so that the watch is the last owner of the client
  is_set.set_value();
  EXPECT_EQ(is_gone.get_future().wait_for(60s), std::future_status::ready);
}

}  // namespace
}  // namespace leaderelection

// Who takes part and how: one attempt, an observer, one who stands again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Attempt, OneAttemptOnAFreeLockIsATermUntilItIsGivenUp) {
  Subject a("a");
  a.Try();
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "create", "started"));
  a.Pass(60s);
  EXPECT_TRUE(a.leads());
  a.TakeStory();
  a.Stop();
  EXPECT_THAT(a.TakeStory(), ElementsAre("must stop", "release", "ended: released", "idle"));
}

TEST(Attempt, AnAttemptOnAHeldLockSaysWhoHoldsItAndForHowLong) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Try();
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "attempt over: held", "idle"));
  EXPECT_THAT(a.All<announce::AttemptOver>().front().error.message, HasSubstr("held by b"));
  EXPECT_THAT(a.All<announce::AttemptOver>().front().error.message, HasSubstr("15000 ms"));
  EXPECT_EQ(a.writes(), 0U);
}

TEST(Attempt, ALaterAttemptRemembersWhatAnEarlierOneSaw) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Try();
  a.Pass(15s);
  a.Try();
  EXPECT_TRUE(a.leads());
}

TEST(Attempt, AnAttemptEndsWithTheFirstFailure) {
  struct Row {
    const char* what;
    ErrorCode code;
    const char* told;
  };
  for (const Row& row : {Row{"no answer", ErrorCode::kTimeout, "attempt over: timeout"},
                         Row{"denied", ErrorCode::kDenied, "attempt over: denied"},
                         Row{"not a record", ErrorCode::kCorrupt, "attempt over: corrupt"}}) {
    Subject a("a");
    a.FailNext(row.code);
    a.Try();
    EXPECT_THAT(a.TakeStory(), ElementsAre("get", row.told, "idle")) << row.what;
  }
}

TEST(Attempt, ARefusedWriteEndsTheAttempt) {
  Subject a("a");
  a.FailNext(ErrorCode::kNotFound);
  a.FailNext(ErrorCode::kDenied);
  a.Try();
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "create", "attempt over: denied", "idle"));
}

TEST(Attempt, AnAttemptEndsWithinTwoRequestDeadlines) {
  Subject a("a");
  a.HoldRequests();
  a.Try();
  a.AnswerWith(ErrorCode::kNotFound);
  a.Pass(6666ms);
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "create", "get", "attempt over: timeout", "idle"));
}

TEST(Attempt, ALostRaceIsReadAndTold) {
  Subject a("a");
  a.HoldRequests();
  a.Try();
  a.Answer();
  a.Put(HeldBy("b"));
  a.AnswerRequests();
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "create", "get", "attempt over: held", "idle"));
}

TEST(Attempt, AStopDuringAnAttemptEndsIt) {
  Subject a("a");
  a.HoldRequests();
  a.Try();
  a.Stop();
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "attempt over: unknown", "idle"));
}

TEST(Attempt, ATermOfOneAttemptThatIsLostIsNotSoughtAgain) {
  Subject a("a");
  a.Try();
  a.TakeStory();
  a.Sees(a.Put(HeldBy("b", 1s)));
  EXPECT_THAT(a.TakeStory(), ElementsAre("ended: rival", "idle"));
  a.Pass(60s);
  EXPECT_FALSE(a.leads());
}

TEST(Attempt, AnAttemptDoesNotWaitForTheSpreadAfterARelease) {
  ElectionSettings settings = UsualSettings("a");
  settings.release_spread = 10s;
  Subject a(settings);
  a.Put(Released());
  a.Try();
  EXPECT_TRUE(a.leads());
}

TEST(Observer, AnObserverFollowsAndNeverWrites) {
  Subject a("a");
  a.Stand(Election::Role::kObserver);
  a.Pass(60s);
  a.Sees(a.Put(HeldBy("b", 1s)));
  a.Pass(60s);
  a.Sees(a.Put(Released()));
  a.Pass(60s);
  EXPECT_EQ(a.writes(), 0U);
  EXPECT_FALSE(a.leads());
  const auto changes = a.All<announce::RecordChanged>();
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_FALSE(changes[0].record);
  EXPECT_EQ(changes[1].record->holder_identity, "b");
  EXPECT_EQ(changes[2].record->holder_identity, "");
}

TEST(Observer, AnObserverStopsAtOnce) {
  Subject a("a");
  a.Stand(Election::Role::kObserver);
  a.TakeStory();
  a.Stop();
  EXPECT_THAT(a.TakeStory(), ElementsAre("idle"));
}

TEST(Standing, EveryChangeOfTheRecordIsAnnounced) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.Sees(a.Put(Released()));
  a.Sees(a.Put(HeldBy("c")));
  std::vector<std::string> holders;
  for (const auto& change : a.All<announce::RecordChanged>()) {
    const std::string holder = change.record ? change.record->holder_identity : "nobody";
    if (holders.empty() || holders.back() != holder) holders.push_back(holder);
  }
  EXPECT_THAT(holders, ElementsAre("b", "", "a", "c"));
}

TEST(Standing, ALeaderWhoStandsAgainChangesNothing) {
  Subject a("a");
  a.Lead();
  a.Stand();
  EXPECT_THAT(a.TakeStory(), ElementsAre());
  EXPECT_TRUE(a.leads());
}

TEST(Standing, AnElectionMayStandManyTimes) {
  Subject a("a");
  for (int run = 0; run < 3; ++run) {
    a.Stand(Election::Role::kOneTerm);
    EXPECT_TRUE(a.leads());
    a.TakeStory();
    a.Stop();
    EXPECT_THAT(a.TakeStory(), ElementsAre("must stop", "release", "ended: released", "idle"));
  }
  EXPECT_EQ(a.stored()->record.transitions, 2);
}

TEST(Standing, FailuresAreAnnouncedWithTheirVerb) {
  Subject a("a");
  a.FailNext(ErrorCode::kDenied);
  a.Stand();
  ASSERT_EQ(a.All<announce::RequestFailed>().size(), 1U);
  EXPECT_EQ(a.All<announce::RequestFailed>()[0].verb, Verb::kGet);
  EXPECT_EQ(a.All<announce::RequestFailed>()[0].error.code, ErrorCode::kDenied);
  EXPECT_TRUE(a.All<announce::Answered>().empty());
}

TEST(Standing, AWatchThatFlapsDoesNotDisturbALeader) {
  Subject a("a");
  a.Lead();
  for (int flap = 0; flap < 20; ++flap) {
    a.Lost();
    a.Live();
    a.Pass(500ms);
  }
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(a.requests(), 5U);
}

}  // namespace
}  // namespace leaderelection

// Rule 11: when an elector that led may lead again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Rule11Again, AfterALostTermItStandsAgainOnlyOnceItsWorkHasReturned) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  a.Pass(10s);
  a.AnswerRequests();
  a.TakeRequests();
  a.Pass(60s);
  EXPECT_EQ(a.writes(), 0U);
  EXPECT_FALSE(a.leads());
  a.WorkReturns();
  EXPECT_TRUE(a.leads());
}

TEST(Rule11Again, ALeaderThatFindsItsRecordAbsentEndsItsTermAndNeverRecreatesInsideIt) {
  Subject a("a");
  a.Lead();
  const std::uint64_t first = a.number();
  a.Delete();
  a.Pass(2s);
  EXPECT_THAT(a.TakeStory(), ElementsAre("update", "get", "ended: gone", "get"));
  EXPECT_FALSE(a.leads());
  EXPECT_FALSE(a.stored()) << "not while its work runs";
  a.WorkReturns();
  EXPECT_TRUE(a.leads()) << "and then as a new term";
  EXPECT_GT(a.number(), first);
}

TEST(Rule11Again, AnUnreadableRecordEndsTheTermAndIsNeverOverwritten) {
  Subject a("a");
  a.Lead();
  const Stored stored = *a.stored();
  a.FailNext(ErrorCode::kConflict);
  for (int read = 0; read < 100; ++read) a.FailNext(ErrorCode::kCorrupt);
  a.Pass(60s);
  EXPECT_THAT(a.TakeStory(), Contains("ended: gone"));
  EXPECT_EQ(a.stored()->version.order, stored.version.order);
}

TEST(Rule11Again, AfterAStepDownAnotherOneGoesFirst) {
  Subject a("a");
  a.Lead();
  a.WorkReturns();
  a.StepDown();
  ASSERT_EQ(a.stored()->record.holder_identity, "");
  a.TakeRequests();
  a.Pass(15s - 1ms);
  EXPECT_EQ(a.writes(), 0U);
  a.Pass(1ms);
  EXPECT_TRUE(a.leads()) << "nobody else wanted it";
}

TEST(Rule11Again, TheBarAfterAStepDownFallsWhenAnotherHolderIsSeen) {
  Subject a("a");
  a.Lead();
  a.WorkReturns();
  a.StepDown();
  a.Sees(a.Put(HeldBy("b")));
  a.Pass(1s);
  a.Sees(a.Put(Released()));
  EXPECT_TRUE(a.leads());
}

TEST(Rule11Again, AnotherHolderSeenBeforeTheReleaseIsAcknowledgedGoesFirstToo) {
  Subject a("a");
  a.Lead();
  a.WorkReturns();
  a.HoldRequests();
  a.StepDown();
  a.Commit();
  a.Sees(a.Put(HeldBy("b")));
  a.Answer();
  a.AnswerRequests();
  a.Sees(a.Put(Released()));
  a.Pass(1s);
  EXPECT_TRUE(a.leads());
}

TEST(Rule11Again, AStepDownThatEndsInALossBarsToo) {
  Subject a("a");
  a.Lead();
  a.StepDown();
  a.HoldRequests();
  a.Pass(10s);
  ASSERT_FALSE(a.leads());
  a.WorkReturns();
  a.AnswerRequests();
  a.TakeRequests();
  a.Pass(14s);
  EXPECT_EQ(a.writes(), 0U);
  a.Pass(1s);
  EXPECT_TRUE(a.leads());
}

TEST(Rule11Again, AStepDownOfAFollowerIsNothing) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.StepDown();
  a.Pass(15s);
  EXPECT_TRUE(a.leads());
}

TEST(Rule11Again, WhoStandsForOneTermStandsNoMoreAfterIt) {
  struct Row {
    const char* what;
    void (*end)(Subject&);
  };
  for (const Row& row :
       {Row{"lost to a rival", [](Subject& a) { a.Sees(a.Put(HeldBy("b"))); }},
        Row{"expired",
            [](Subject& a) {
              a.Stall(10s);
              a.Wake();
            }},
        Row{"stepped down", [](Subject& a) { a.StepDown(); }}, Row{"stopped", [](Subject& a) { a.Stop(); }}}) {
    Subject a("a");
    a.Stand(Election::Role::kOneTerm);
    ASSERT_TRUE(a.leads()) << row.what;
    row.end(a);
    EXPECT_EQ(a.TakeStory().back(), "idle") << row.what;
    a.TakeRequests();
    a.Pass(60s);
    EXPECT_EQ(a.requests(), 0U) << row.what;
  }
}

TEST(Rule11Again, WhoWaitsForHisOneTermGoesOnWaitingThroughFailures) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand(Election::Role::kOneTerm);
  for (int failure = 0; failure < 20; ++failure) a.FailNext(ErrorCode::kUnknown);
  a.Pass(60s);
  EXPECT_TRUE(a.leads());
}

TEST(Rule11Again, WorkStillRunningWhenAnotherMayLeadIsAnOverrun) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  a.Pass(15s - 1ms);
  EXPECT_THAT(a.TakeStory(), Not(Contains("overrun")));
  a.Pass(1ms);
  EXPECT_THAT(a.TakeStory(), Contains("overrun"));
  a.Pass(60s);
  EXPECT_THAT(a.TakeStory(), Not(Contains("overrun"))) << "once";
}

TEST(Rule11Again, WorkThatOutlivesItsDrainTimeoutIsAnOverrunALeaseAfterTheLastRenewal) {
  Subject a("a");
  a.Lead();
  a.Stop();
  a.Pass(30s);
  EXPECT_EQ(a.TakeStory().back(), "idle");
  a.Pass(15s);
  EXPECT_THAT(a.TakeStory(), ElementsAre("overrun"));
}

TEST(Rule11Again, WorkThatReturnsInTimeIsNoOverrun) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  a.Pass(12s);
  a.WorkReturns();
  a.Pass(60s);
  EXPECT_THAT(a.TakeStory(), Not(Contains("overrun")));
}

TEST(Rule11Again, WorkThatBeginsInATermAlreadyLostIsAnOverrunToo) {
  Subject a("a");
  a.Stand(Election::Role::kOneTerm);
  a.Sees(a.Put(HeldBy("b")));
  a.WorkStarts();
  a.Pass(15s);
  EXPECT_EQ(a.TakeStory().back(), "overrun");
}

TEST(Rule11Again, EveryTermIsAnnouncedOnceAndEndsOnce) {
  Subject a("a");
  a.Lead();
  for (int term = 0; term < 10; ++term) {
    a.Sees(a.Put(HeldBy("b", 1s)));
    a.WorkReturns();
    a.Pass(3s);
    ASSERT_TRUE(a.leads());
    a.WorkStarts();
  }
  EXPECT_EQ(a.All<announce::TermStarted>().size(), 11U);
  EXPECT_EQ(a.All<announce::TermEnded>().size(), 10U);
}

TEST(Rule11Again, NothingIsSentByAnElectionThatRests) {
  Subject a("a");
  a.Lead();
  a.WorkReturns();
  a.Stop();
  a.TakeStory();
  a.Live();
  a.Sees(a.Put(HeldBy("b")));
  a.Pass(3600s);
  EXPECT_THAT(a.TakeStory(), IsEmpty());
  EXPECT_EQ(a.wake_at(), kNever);
}

// The new leader's write may be heard after the release and before the watch is closed.
TEST(Rule11Again, WhoLedWhileItRestedIsToldOnceItStandsAgain) {
  Subject a("a");
  a.Lead();
  a.WorkReturns();
  a.Stop();
  a.Sees(a.Put(HeldBy("b")));
  EXPECT_EQ(a.All<announce::RecordChanged>().back().record->holder_identity, "");
  a.Stand();
  EXPECT_EQ(a.All<announce::RecordChanged>().back().record->holder_identity, "b");
}

}  // namespace
}  // namespace leaderelection

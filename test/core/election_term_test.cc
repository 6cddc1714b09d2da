// Rule 1: a leader counts from before it sent the last acknowledged write, and what is over stays over.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Rule1Term, ATermCountsFromBeforeItsWriteWasSent) {
  Subject a("a");
  a.HoldRequests();
  a.Stand();
  a.Answer();
  ASSERT_EQ(a.pending().verb, Verb::kCreate);
  a.Pass(3s);
  a.Answer();
  ASSERT_TRUE(a.leads());
  a.Stall(7s - 1ms);
  EXPECT_TRUE(a.leads());
  a.Stall(1ms);
  EXPECT_FALSE(a.leads());
}

TEST(Rule1Term, ARenewalExtendsFromBeforeItWasSent) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  a.Pass(2s);
  ASSERT_TRUE(a.waits());
  a.Pass(3s);
  a.Answer();
  EXPECT_EQ(a.All<announce::Renewed>().back().valid_until, a.now() - 3s + 10s);
  EXPECT_EQ(a.All<announce::Renewed>().back().latency, 3s);
  a.Stall(7s - 1ms);
  EXPECT_TRUE(a.leads());
  a.Stall(1ms);
  EXPECT_FALSE(a.leads());
}

TEST(Rule1Term, ALeaderThatCannotRenewEndsByItsDeadline) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  a.Pass(10s - 1ms);
  EXPECT_TRUE(a.leads());
  EXPECT_THAT(a.TakeStory(), Not(Contains("ended: expired")));
  a.Pass(1ms);
  EXPECT_FALSE(a.leads());
  EXPECT_THAT(a.TakeStory(), Contains("ended: expired"));
}

TEST(Rule1Term, AnAcknowledgementAfterTheEndNeitherRevivesNorExtends) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  a.Pass(8s);
  a.Commit();
  a.Stall(2s);
  a.Answer();
  EXPECT_THAT(a.TakeStory(), Contains("ended: expired"));
  EXPECT_FALSE(a.leads());
  EXPECT_THAT(a.All<announce::Renewed>(), IsEmpty());
}

TEST(Rule1Term, AnAcknowledgementAfterItsDeadlineStartsNothing) {
  Subject a("a");
  a.HoldRequests();
  a.Stand();
  a.Answer();
  const std::uint64_t create = a.pending().id;
  a.Commit();
  const Stored landed = *a.stored();
  a.Pass(4s);
  ASSERT_NE(a.pending().id, create) << "the attempt is over, a read decides";
  a.AnswerLate(create, landed);
  EXPECT_FALSE(a.leads());
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "create", "get"));
}

// With a renew_deadline below a second, an attempt lasts longer than the term it is to start.
TEST(Rule1Term, AnAcquiringWriteAcknowledgedTooLateStartsNoTerm) {
  ElectionSettings settings = UsualSettings("a");
  settings.lease_duration = 800ms;
  settings.renew_deadline = 500ms;
  settings.retry_period = settings.renew_interval = 100ms;
  Subject a(settings);
  a.HoldRequests();
  a.Stand();
  a.Answer();
  a.Stall(600ms);
  a.Answer();
  EXPECT_FALSE(a.leads());
  EXPECT_THAT(a.TakeStory(), Not(Contains("started")));
}

TEST(Rule1Term, WhatAnyoneFoundOverIsNotExtendedByAnAcknowledgementOfTheSameMoment) {
  ElectionSettings settings = UsualSettings("a");
  settings.renew_interval = 9s;
  Subject a(settings);
  a.Stall(500us);  // between two milliseconds, so that the deadline known outside is rounded down
  a.Lead();
  a.HoldRequests();
  a.Pass(9s);
  a.Stall(1s - 200us);
  ASSERT_FALSE(a.leads());
  a.Answer();
  EXPECT_FALSE(a.leads());
  EXPECT_THAT(a.TakeStory(), Contains("ended: expired"));
}

TEST(Rule1Term, TheEndIsLookedAtBeforeAnyEventIsHandled) {
  struct Row {
    const char* what;
    void (*event)(Subject&);
  };
  for (const Row& row :
       {Row{"a stop", [](Subject& a) { a.Stop(); }}, Row{"a step-down", [](Subject& a) { a.StepDown(); }},
        Row{"the work's return", [](Subject& a) { a.WorkReturns(); }},
        Row{"news of a rival", [](Subject& a) { a.Sees(a.Put(HeldBy("b"))); }},
        Row{"a wake-up", [](Subject& a) { a.Wake(); }}}) {
    Subject a("a");
    a.Lead();
    a.HoldRequests();
    a.Stall(11s);
    row.event(a);
    EXPECT_THAT(a.TakeStory(), Contains("ended: expired")) << row.what;
    EXPECT_EQ(a.All<announce::TermEnded>().size(), 1U) << row.what;
  }
}

TEST(Rule1Term, TheElectionAsksToBeWokenAtTheEndOfItsTerm) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  const MonotonicTime end = a.now() + 10s;
  a.Pass(9s);
  EXPECT_LE(a.wake_at(), end);
}

TEST(Rule1Term, AsLongAsRenewalsAreAcknowledgedTheTermGoesOn) {
  Subject a("a");
  a.Lead();
  for (int second = 0; second < 120; ++second) {
    a.Pass(1s);
    ASSERT_TRUE(a.leads()) << second;
  }
  EXPECT_EQ(a.requests(), 60U) << "one write each, without a read";
  EXPECT_THAT(a.All<announce::TermEnded>(), IsEmpty());
}

}  // namespace
}  // namespace leaderelection

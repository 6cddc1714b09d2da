// Rule 3: which records are ours, and which acknowledgements count. Rule 10: the number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Rule3Ours, OnlyAnAcknowledgedWriteOfOurOwnStartsATerm) {
  struct Row {
    const char* what;
    void (*change)(Stored&);
  };
  for (const Row& row : {Row{"the old version", [](Stored& stored) { --stored.version.order; }},
                         Row{"another holder", [](Stored& stored) { stored.record.holder_identity = "b"; }},
                         Row{"another duration", [](Stored& stored) { stored.record.lease_duration += 1s; }},
                         Row{"another time", [](Stored& stored) { stored.record.renew_time += 1us; }},
                         Row{"a webhook's addition", [](Stored& stored) { stored.record.metadata["by"] = "hook"; }}}) {
    Subject a("a");
    a.Put(Released());
    a.ChangeAnswers(row.change);
    a.Stand();
    EXPECT_FALSE(a.leads()) << row.what;
    EXPECT_THAT(a.TakeStory(), Not(Contains("started"))) << row.what;
  }
}

TEST(Rule3Ours, AnAcknowledgementThatCannotBeOursExtendsNothing) {
  struct Row {
    const char* what;
    void (*change)(Stored&);
  };
  for (const Row& row : {Row{"the old version", [](Stored& stored) { --stored.version.order; }},
                         Row{"another record", [](Stored& stored) { stored.record.transitions += 1; }}}) {
    Subject a("a");
    a.Lead();
    a.ChangeAnswers(row.change);
    a.Pass(10s);
    EXPECT_THAT(a.All<announce::Renewed>(), IsEmpty()) << row.what;
    EXPECT_THAT(a.TakeStory(), Contains("ended: expired")) << row.what;
  }
}

TEST(Rule3Ours, AReadThatShowsOurRecordStartsAndExtendsNothing) {
  Subject a("a");
  a.FailNext(ErrorCode::kNotFound);
  a.FailNext(ErrorCode::kTimeout, true);
  a.HoldRequests();
  a.Stand();
  a.AnswerWith(ErrorCode::kNotFound);
  a.Commit();
  a.AnswerWith(ErrorCode::kTimeout);
  ASSERT_EQ(a.pending().verb, Verb::kGet);
  a.Answer();
  EXPECT_FALSE(a.leads()) << "what landed is no term";
  ASSERT_EQ(a.pending().verb, Verb::kUpdate) << "and is replaced at once, by its version";
  EXPECT_EQ(a.pending().expected.order, a.stored()->version.order);
  a.Answer();
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(a.number(), a.stored()->version.order);
}

TEST(Rule3Ours, OurNameInARecordWeDidNotSendIsAnotherHolder) {
  Subject a("a");
  a.Lead();
  a.Sees(a.Put(HeldBy("a")));
  EXPECT_FALSE(a.leads());
  EXPECT_THAT(a.TakeStory(), ElementsAre("namesake", "ended: rival", "get"));
  a.WorkReturns();
  a.Pass(15s - 1ms);
  EXPECT_EQ(a.writes(), 0U);
  a.Pass(1ms);
  EXPECT_TRUE(a.leads());
}

TEST(Rule3Ours, ANamesakesRecordFoundAtTheStartIsReportedAndWaitedOut) {
  Subject a("a");
  a.Put(HeldBy("a"));
  a.Stand();
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "namesake"));
  a.Pass(14s);
  EXPECT_EQ(a.writes(), 0U);
}

TEST(Rule3Ours, OurOwnLeftoverIsReplacedAtOnceAsANewTerm) {
  Subject a("a");
  a.Lead();
  const std::uint64_t first = a.number();
  a.HoldRequests();
  a.Pass(10s);
  ASSERT_FALSE(a.leads());
  a.WorkReturns();
  a.AnswerRequests();
  a.Pass(2s);
  EXPECT_TRUE(a.leads());
  EXPECT_GT(a.number(), first);
  EXPECT_EQ(a.stored()->record.transitions, 0) << "no change of holder";
}

TEST(Rule3Ours, AnEarlierTermsRecordIsNotTheOneWeHold) {
  Subject a("a");
  a.Lead();
  const Record of_first_term = a.stored()->record;
  a.WorkReturns();
  a.StepDown();
  a.Pass(15s);
  ASSERT_TRUE(a.leads());
  a.Sees(a.Put(of_first_term));
  EXPECT_THAT(a.TakeStory(), Contains("ended: rival"));
}

TEST(Rule3Ours, ATimedOutWriteOfThisTermIsStillOurs) {
  Subject a("a");
  a.Lead();
  a.FailNext(ErrorCode::kTimeout, true);
  a.Pass(2s);
  EXPECT_THAT(a.TakeStory(), ElementsAre("update", "get", "update"));
  EXPECT_TRUE(a.leads());
}

TEST(Rule3Ours, AChangeMadeToOurRecordByAnotherIsARival) {
  Subject a("a");
  a.Lead();
  Record edited = a.stored()->record;
  edited.lease_duration = 60s;
  a.Sees(a.Put(edited));
  EXPECT_FALSE(a.leads());
}

TEST(Rule10Number, TheNumberIsTheAcquiringWritesAndRisesWithEveryTerm) {
  Subject a("a");
  std::uint64_t last = 0;
  for (int term = 0; term < 5; ++term) {
    a.Stand();
    ASSERT_TRUE(a.leads());
    EXPECT_GT(a.number(), last);
    EXPECT_EQ(a.number(), a.stored()->version.order);
    last = a.number();
    a.Pass(20s);
    EXPECT_EQ(a.number(), last) << "renewals keep it";
    a.Stop();
    ASSERT_FALSE(a.leads());
    if (term == 2) a.Delete();
  }
}

TEST(Rule10Number, AnEventThatPrecedesTheAcknowledgementDoesNotChangeTheNumber) {
  Subject a("a");
  a.HoldRequests();
  a.Stand();
  a.Answer();
  a.Commit();
  const std::uint64_t acquired = a.stored()->version.order;
  a.Relabel();
  a.SeesWhatIsStored();
  a.Answer();
  ASSERT_TRUE(a.leads());
  EXPECT_EQ(a.number(), acquired);
  a.Pass(2s);
  EXPECT_EQ(a.pending().expected.order, acquired + 1) << "and the higher version is the one written against";
}

}  // namespace
}  // namespace leaderelection

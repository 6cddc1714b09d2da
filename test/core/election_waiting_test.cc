// Rule 2: how long a follower waits, and rule 8: what is a sign of life.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

struct Start {
  const char* what;
  std::optional<Record> stored;
  std::chrono::milliseconds after;
  std::size_t writes;  // sent by then
  bool leads;
  std::int64_t transitions;
};

Record With(Record record, std::int64_t transitions) {
  record.transitions = transitions;
  return record;
}

TEST(Rule2Waiting, WhoeverStandsTakesTheLockWhenItMay) {
  for (const Start& row : {
           Start{"an empty store is taken at once", std::nullopt, 0s, 1, true, 0},
           Start{"a released record is taken at once", With(Released(), 3), 0s, 1, true, 4},
           Start{"a living holder is left alone", With(HeldBy("b"), 3), 14900ms, 0, false, 3},
           Start{"a dead holder is replaced", With(HeldBy("b"), 3), 15s, 1, true, 4},
           Start{"by his duration, not by ours: shorter", HeldBy("b", 3s), 3s, 1, true, 1},
           Start{"by his duration, not by ours: longer", HeldBy("b", 40s), 39s, 0, false, 0},
           Start{"and then replaced", HeldBy("b", 40s), 40s, 1, true, 1},
           Start{"a holder without a duration is waited out by ours", HeldBy("b", 0s), 14900ms, 0, false, 0},
           Start{"and replaced then", HeldBy("b", 0s), 15s, 1, true, 1},
           Start{"an absurd duration is replaced by ours", HeldBy("b", std::chrono::hours(25)), 15s, 1, true, 1},
           Start{"our own name is another holder", HeldBy("a"), 14900ms, 0, false, 0},
           Start{"and no change of holder", HeldBy("a"), 15s, 1, true, 0},
       }) {
    Subject a("a");
    if (row.stored) a.Put(*row.stored);
    a.Stand();
    a.Pass(row.after);
    EXPECT_EQ(a.writes(), row.writes) << row.what;
    EXPECT_EQ(a.leads(), row.leads) << row.what;
    EXPECT_EQ(a.stored()->record.transitions, row.transitions) << row.what;
  }
}

TEST(Rule2Waiting, EverySignOfLifeBeginsTheWaitAnew) {
  Subject a("a");
  Record record = HeldBy("b");
  a.Put(record);
  a.Stand();
  a.Live();
  for (int renewal = 0; renewal < 5; ++renewal) {
    a.Pass(14s);
    a.Sees(a.Put(record = Renewed(record)));
  }
  a.Pass(15s - 1ms);
  EXPECT_EQ(a.writes(), 0U);
  a.Pass(1ms);
  EXPECT_TRUE(a.leads());
}

TEST(Rule2Waiting, TwoRenewalsWithinOneSecondAreBothSeen) {
  Subject a("a");
  Record record = HeldBy("b", 1s);
  a.Put(record);
  a.Stand();
  for (int renewal = 0; renewal < 20; ++renewal) {
    a.Pass(500ms);
    record.renew_time += 500ms;
    a.Sees(a.Put(record));
  }
  EXPECT_EQ(a.writes(), 0U);
}

TEST(Rule2Waiting, TheWaitIsCountedFromAfterTheAnswerWasHandled) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.HoldRequests();
  a.Stand();
  a.Pass(3s);
  a.AnswerRequests();
  a.Pass(15s - 1ms);
  EXPECT_EQ(a.writes(), 0U);
  a.Pass(1ms);
  EXPECT_TRUE(a.leads());
}

TEST(Rule2Waiting, ADeletedRecordIsWaitedOutByWhoeverSawIt) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.Pass(1s);
  a.Delete();
  a.SeesDeletion();
  a.Pass(15s - 1ms);
  EXPECT_EQ(a.writes(), 0U);
  a.Pass(1ms);
  EXPECT_TRUE(a.leads());
}

TEST(Rule2Waiting, ADeletionFoundByTheWriteIsWaitedOutToo) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.Live();
  a.Pass(14s);
  a.Delete();
  a.TakeStory();
  a.Pass(10s);
  EXPECT_THAT(a.TakeStory(), Not(Contains("create")));
  EXPECT_FALSE(a.leads());
  a.Pass(6s);
  EXPECT_TRUE(a.leads());
}

TEST(Rule2Waiting, ANewcomerWhoNeverSawTheDeletedRecordStartsAtOnce) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Delete();
  a.Stand();
  EXPECT_TRUE(a.leads());
}

TEST(Rule2Waiting, AReleaseEndsTheWaitAtOnce) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.Pass(1s);
  a.Sees(a.Put(Released()));
  EXPECT_TRUE(a.leads());
}

TEST(Rule2Waiting, Fabric8sReleaseByNameIsWaitedOutForItsOneSecond) {
  Subject a("a");
  Record record = HeldBy("b");
  a.Put(record);
  a.Stand();
  a.Pass(2s);
  record = Renewed(record);
  record.lease_duration = 1s;
  a.Sees(a.Put(record));
  a.Pass(1s - 1ms);
  EXPECT_FALSE(a.leads());
  a.Pass(1ms);
  EXPECT_TRUE(a.leads());
}

TEST(Rule2Waiting, AShortenedDurationShortensNoWait) {
  Subject a("a");
  Record record = HeldBy("b");
  a.Put(record);
  a.Stand();
  record.lease_duration = 1s;
  a.Sees(a.Put(record));
  a.Pass(14s);
  EXPECT_EQ(a.writes(), 0U);
}

TEST(Rule2Waiting, WithNativeExpiryTheServersWordIsTheEnd) {
  Subject a("a");
  a.SetExpiresIn(6s);
  a.Put(HeldBy("b"));
  a.Stand();
  a.Live();
  a.Pass(6s - 1ms);
  EXPECT_EQ(a.writes(), 0U);
  a.Delete();
  a.SeesDeletion();
  a.Pass(1ms);
  EXPECT_TRUE(a.leads());
}

// Late news may come while the acquiring write is under way: the lock is held, and the term starts only when nobody
// else can lead any more.
TEST(Rule2Waiting, TheWaitIsCheckedOnceMoreWhenTheWriteIsAcknowledged) {
  Subject a("a");
  a.HoldRequests();
  a.Stand();
  a.Answer();
  ASSERT_EQ(a.pending().verb, Verb::kCreate);
  const Stored rival = a.Put(HeldBy("b"));
  a.Sees(rival);
  a.Delete();
  a.SeesDeletion();
  a.AnswerRequests();
  EXPECT_FALSE(a.leads());
  EXPECT_THAT(a.TakeStory(), ElementsAre("get", "create"));
  a.Pass(15s - 1ms);
  EXPECT_FALSE(a.leads());
  EXPECT_EQ(a.stored()->record.holder_identity, "a") << "held and renewed meanwhile";
  a.Pass(1ms);
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(a.All<announce::TermStarted>().size(), 1U);
}

TEST(Rule2Waiting, TheWaitGoesOnWhileNobodyStands) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.Pass(5s);
  a.Stop();
  a.Pass(5s);
  a.Stand();
  a.Pass(5s - 1ms);
  EXPECT_EQ(a.writes(), 0U);
  a.Pass(1ms);
  EXPECT_TRUE(a.leads()) << "the record has not changed for as long as it lasts";
}

TEST(Rule8Life, LabelsAndAnnotationsAreNoSignOfLife) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.Live();
  for (int second = 0; second < 14; ++second) {
    a.Pass(1s);
    a.Relabel();
    a.SeesWhatIsStored();
  }
  a.Pass(1s);
  EXPECT_TRUE(a.leads()) << "and the newest version is the one replaced";
}

TEST(Rule8Life, OurOwnRecordRelabelledIsStillOurs) {
  Subject a("a");
  a.Lead();
  a.Relabel();
  a.SeesWhatIsStored();
  EXPECT_TRUE(a.leads());
  a.Pass(2s);
  EXPECT_EQ(a.requests(), 1U) << "renewed by the version that the watch told";
  EXPECT_TRUE(a.leads());
}

}  // namespace
}  // namespace leaderelection

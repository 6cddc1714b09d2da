// The cases of client-go's leaderelection_test.go, under their names there, as this election decides them; and those
// that are worth having and missing there. Where the outcome differs, the comment says why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using Story = std::vector<std::string>;

ElectionSettings Baz() {
  ElectionSettings settings = UsualSettings("baz");
  settings.lease_duration = 10s;
  settings.renew_deadline = 6s;
  return settings;
}

struct Case {
  const char* name;
  std::optional<Record> stored;
  std::chrono::milliseconds seen_before;  // how long ago the record was seen first
  Story story;                            // of the attempt
  std::int64_t transitions;
  const char* holder;
};

TEST(TryAcquireOrRenew, DecidesEachCaseOfClientGo) {
  for (const Case& row : {
           Case{"acquire from no object", std::nullopt, 0s, {"get", "create", "started"}, 0, "baz"},
           Case{"acquire from object without annotations", Record(), 0s, {"get", "update", "started"}, 1, "baz"},
           Case{"acquire from led object with the lease duration seconds",
                HeldBy("bing", 3s),
                3s,
                {"get", "update", "started"},
                1,
                "baz"},
           Case{"the same, a moment too early",
                HeldBy("bing", 3s),
                2999ms,
                {"get", "attempt over: held", "idle"},
                0,
                "bing"},
           Case{"acquire from unled object", Record(), 0s, {"get", "update", "started"}, 1, "baz"},
           // A named holder without a duration is waited out by our own; there it counts as expired.
           Case{"acquire from led, unacked object", HeldBy("bing", 0s), 10s, {"get", "update", "started"}, 1, "baz"},
           Case{"acquire from empty led, acked object", HeldBy("", 10s), 0s, {"get", "update", "started"}, 1, "baz"},
           Case{"don't acquire from led, acked object",
                HeldBy("bing", 0s),
                0s,
                {"get", "attempt over: held", "idle"},
                0,
                "bing"},
       }) {
    Subject baz(Baz());
    if (row.stored) baz.Put(*row.stored);
    if (row.seen_before > 0s) {
      baz.Stand(Election::Role::kObserver);
      baz.Stall(row.seen_before);
      baz.Stop();
      baz.TakeStory();
    }
    baz.Try();
    EXPECT_EQ(baz.TakeStory(), row.story) << row.name;
    EXPECT_EQ(baz.stored()->record.holder_identity, row.holder) << row.name;
    EXPECT_EQ(baz.stored()->record.transitions, row.transitions) << row.name;
    EXPECT_EQ(baz.All<announce::RecordChanged>().back().record->holder_identity, row.holder) << row.name;
  }
}

TEST(TryAcquireOrRenew, RenewAlreadyAcquiredObject) {
  Subject baz(Baz());
  baz.Lead();
  const Record acquired = baz.stored()->record;
  baz.Pass(2s);
  EXPECT_THAT(baz.TakeStory(), ElementsAre("update")) << "without the read that is made there";
  EXPECT_EQ(baz.stored()->record.transitions, acquired.transitions);
  EXPECT_EQ(baz.stored()->record.acquire_time, acquired.acquire_time);
  EXPECT_GT(baz.stored()->record.renew_time, acquired.renew_time);
}

TEST(Release, ReleaseAcquiredLockFromNoObject) {
  Subject baz(Baz());
  baz.Stand();
  baz.Stop();
  EXPECT_EQ(baz.stored()->record.holder_identity, "");
  EXPECT_EQ(baz.stored()->record.transitions, 0);
  EXPECT_EQ(baz.stored()->record.lease_duration, 1s);
  EXPECT_THAT(baz.TakeStory(),
              ElementsAre("get", "create", "started", "must stop", "release", "ended: released", "idle"));
}

// There a GET comes first, because the lock's cached version may be stale. Here the version is the one last
// acknowledged, so the GET is made only if that turns out to be stale.
TEST(Release, ReleaseMethodCallsGet) {
  Subject baz(Baz());
  baz.Stand();
  baz.Relabel();
  baz.TakeStory();
  baz.Stop();
  EXPECT_THAT(baz.TakeStory(), ElementsAre("must stop", "release", "get", "release", "ended: released", "idle"));
}

TEST(Release, ReleaseRetriesOnConflict) {
  Subject baz(Baz());
  baz.Stand();
  baz.TakeStory();
  baz.FailNext(ErrorCode::kConflict);
  baz.Stop();
  EXPECT_THAT(baz.TakeStory(), ElementsAre("must stop", "release", "get", "release", "ended: released", "idle"));
  EXPECT_EQ(baz.stored()->record.holder_identity, "");
}

TEST(Release, ReleaseAcquiredLockOnCancellationOfUpdate) {
  Subject baz(Baz());
  baz.Stand();
  baz.TakeStory();
  baz.HoldRequests();
  baz.Pass(2s);
  ASSERT_EQ(baz.pending().verb, Verb::kUpdate);
  baz.Stop();
  baz.AnswerWith(ErrorCode::kUnknown);
  baz.AnswerRequests();
  EXPECT_THAT(baz.TakeStory(), ElementsAre("update", "must stop", "get", "release", "ended: released", "idle"));
  EXPECT_EQ(baz.stored()->record.holder_identity, "");
}

TEST(Release, ReleaseAcquiredLockOnCancellationOfGet) {
  Subject baz(Baz());
  baz.Stand();
  baz.TakeStory();
  baz.FailNext(ErrorCode::kUnknown);
  baz.HoldRequests();
  baz.Pass(2s);
  baz.AnswerWith(ErrorCode::kUnknown);
  ASSERT_EQ(baz.pending().verb, Verb::kGet);
  baz.Stop();
  baz.AnswerWith(ErrorCode::kUnknown);
  baz.Pass(2s);
  ASSERT_EQ(baz.pending().verb, Verb::kGet);
  baz.AnswerWith(*baz.stored());
  ASSERT_EQ(baz.pending().record.holder_identity, "") << "the releasing update, by its empty holder";
  baz.Answer();
  EXPECT_EQ(baz.TakeStory().back(), "idle");
}

TEST(FastPath, ExerciseFastPathAfterLockAcquired) {
  Subject baz(Baz());
  baz.Stand();
  baz.Pass(4s);
  EXPECT_THAT(baz.TakeStory(), ElementsAre("get", "create", "started", "update", "update"));
}

TEST(FastPath, FallbackToSlowPathAfterFastPathFails) {
  Subject baz(Baz());
  baz.Stand();
  baz.Pass(2s);
  baz.FailNext(ErrorCode::kConflict);
  baz.Pass(4s);
  EXPECT_THAT(baz.TakeStory(), ElementsAre("get", "create", "started", "update", "update", "get", "update", "update"));
  EXPECT_EQ(baz.All<announce::SlowPath>().size(), 1U);
}

TEST(NotInClientGo, AnotherHolderThatAppearsDuringRenewalStopsTheLeaderAtOnce) {
  Subject baz(Baz());
  baz.Lead();
  baz.Put(HeldBy("bing"));
  baz.Pass(2s);
  EXPECT_FALSE(baz.leads());
  EXPECT_THAT(baz.TakeStory(), Contains("ended: rival"));
}

TEST(NotInClientGo, AReleaseDoesNotTouchAnotherHolder) {
  Subject baz(Baz());
  baz.Lead();
  baz.WorkReturns();
  baz.Put(HeldBy("bing"));
  baz.Stop();
  EXPECT_EQ(baz.stored()->record.holder_identity, "bing");
}

TEST(NotInClientGo, ASubSecondDurationIsExact) {
  ElectionSettings settings = Baz();
  Subject baz(settings);
  baz.Put(HeldBy("bing", 300ms));
  baz.Stand();
  baz.Pass(299ms);
  EXPECT_FALSE(baz.leads());
  baz.Pass(1ms);
  EXPECT_TRUE(baz.leads());
}

TEST(NotInClientGo, TwoRenewalsWithinOneSecondAreTwoSignsOfLife) {
  Subject baz(Baz());
  Record record = HeldBy("bing", 1s);
  baz.Put(record);
  baz.Stand();
  baz.Pass(600ms);
  record.renew_time += 1us;
  baz.Sees(baz.Put(record));
  baz.Pass(999ms);
  EXPECT_FALSE(baz.leads());
  baz.Pass(1ms);
  EXPECT_TRUE(baz.leads());
}

TEST(NotInClientGo, ASuspendedLeaderFindsItsTermOver) {
  Subject baz(Baz());
  baz.Lead();
  baz.Stall(6s);
  EXPECT_FALSE(baz.leads());
}

TEST(NotInClientGo, ALeaseDeletedWhileLeadingEndsTheTerm) {
  Subject baz(Baz());
  baz.Lead();
  baz.Delete();
  baz.Pass(2s);
  EXPECT_FALSE(baz.leads());
  EXPECT_THAT(baz.TakeStory(), Contains("ended: gone"));
}

TEST(NotInClientGo, AnAnswerLaterThanTheLeaseStartsNothing) {
  Subject baz(Baz());
  baz.HoldRequests();
  baz.Stand();
  baz.Answer();
  const std::uint64_t create = baz.pending().id;
  baz.Commit();
  const Stored landed = *baz.stored();
  baz.Pass(11s);
  baz.AnswerLate(create, landed);
  EXPECT_FALSE(baz.leads());
  EXPECT_THAT(baz.TakeStory(), Not(Contains("started")));
}

TEST(NotInClientGo, TheEndIsToldAfterTheReleaseOfACleanStopAndAtOnceAfterALoss) {
  Subject clean(Baz());
  clean.Stand();
  clean.TakeStory();
  clean.Stop();
  EXPECT_THAT(clean.TakeStory(), ElementsAre("must stop", "release", "ended: released", "idle"));
  Subject lost(Baz());
  lost.Stand(Election::Role::kOneTerm);
  lost.TakeStory();
  lost.Sees(lost.Put(HeldBy("bing")));
  EXPECT_THAT(lost.TakeStory(), ElementsAre("ended: rival", "idle"));
}

TEST(NotInClientGo, ABlackHoledServerEndsTheTermInTimeWithAndWithoutRelease) {
  for (const bool release : {true, false}) {
    Subject baz(Baz());
    baz.Lead();
    baz.WorkReturns();
    baz.HoldRequests();
    baz.Pass(4s);
    baz.Stop(release);
    EXPECT_FALSE(baz.leads());
    baz.Pass(2s);
    EXPECT_EQ(baz.TakeStory().back(), "idle") << "no later than the term would have ended";
  }
}

TEST(NotInClientGo, ACancelBeforeTheFirstAttemptAsksForNothing) {
  Subject baz(Baz());
  baz.Stop();
  baz.Pass(60s);
  EXPECT_EQ(baz.requests(), 0U);
}

TEST(NotInClientGo, TheSameElectorRunsAgain) {
  Subject baz(Baz());
  for (int run = 0; run < 3; ++run) {
    baz.Stand(Election::Role::kOneTerm);
    EXPECT_TRUE(baz.leads());
    baz.Stop();
    EXPECT_FALSE(baz.leads());
  }
}

}  // namespace
}  // namespace leaderelection

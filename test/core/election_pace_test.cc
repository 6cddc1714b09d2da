// How much the election asks of the backend: deadlines, the budget of requests, polling, jitter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Pace, OneAttemptTakesAThirdOfTheRenewDeadlineAndAtLeastASecond) {
  struct Row {
    std::chrono::milliseconds renew_deadline, attempt;
  };
  for (const Row& row : {Row{10s, 3333ms}, Row{60s, 20s}, Row{2s, 1s}}) {
    ElectionSettings settings = UsualSettings("a");
    settings.renew_deadline = row.renew_deadline;
    settings.lease_duration = row.renew_deadline * 2;
    Subject a(settings);
    a.HoldRequests();
    a.Stand();
    EXPECT_EQ(a.pending().deadline - a.now(), row.attempt);
  }
}

TEST(Pace, NoAttemptOfALeaderLastsBeyondItsTerm) {
  Subject a("a");
  a.Lead();
  const MonotonicTime end = a.now() + 10s;
  a.HoldRequests();
  a.Pass(9s);
  EXPECT_EQ(a.pending().deadline, end);
}

TEST(Pace, OneRequestIntoABlackHoleDoesNotEatTheTerm) {
  Subject a("a");
  a.Lead();
  a.HoldRequests();
  a.Pass(2s + 3400ms);
  ASSERT_EQ(a.pending().verb, Verb::kGet);
  a.AnswerRequests();
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(a.All<announce::Renewed>().size(), 1U);
}

TEST(Pace, AFollowerWithALiveWatchIsQuietWhileItHearsOfTheHolder) {
  Subject a("a");
  Record record = HeldBy("b");
  a.Put(record);
  a.Stand();
  a.Live();
  a.TakeRequests();
  for (int second = 0; second < 600; second += 2) {
    a.Pass(2s);
    a.Sees(a.Put(record = Renewed(record)));
  }
  EXPECT_THAT(a.TakeRequests(), IsEmpty());
}

TEST(Pace, ASilentWatchIsDoubtedAfterHalfTheHoldersDuration) {
  Subject a("a");
  a.Put(HeldBy("b", 40s));
  a.Stand();
  a.Live();
  a.TakeRequests();
  a.Pass(20s - 1ms);
  EXPECT_EQ(a.requests(), 0U);
  a.Pass(1ms);
  EXPECT_EQ(a.requests(), 1U);
}

TEST(Pace, AWatchThatIsLiveMayHaveMissedSomethingAndIsReadOnce) {
  Subject a("a");
  a.Put(HeldBy("b"));
  a.Stand();
  a.TakeStory();
  a.Live();
  EXPECT_THAT(a.TakeStory(), ElementsAre("get"));
}

TEST(Pace, WithoutAWatchItPollsAtEveryRetryPeriodOrALittleSooner) {
  struct Row {
    const char* what;
    void (*watch)(Subject&);
  };
  for (const Row& row : {Row{"no watch", [](Subject&) {}},
                         Row{"lost",
                             [](Subject& a) {
                               a.Live();
                               a.Lost();
                             }},
                         Row{"refused", [](Subject& a) {
                               a.Live();
                               a.Refused();
                             }}}) {
    Subject a("a");
    a.Put(HeldBy("b", 3600s));
    a.Stand();
    row.watch(a);
    a.TakeRequests();
    a.Pass(120s);
    EXPECT_GE(a.requests(), 60U) << row.what;
    EXPECT_LE(a.requests(), 76U) << row.what;
    EXPECT_EQ(a.writes(), 0U) << row.what;
  }
}

TEST(Pace, CandidatesThatBeganTogetherDriftApart) {
  ElectionSettings one = UsualSettings("a"), other = UsualSettings("b");
  one.seed = 1;
  other.seed = 2;
  Subject a(one), b(other);
  for (Subject* subject : {&a, &b}) {
    subject->Put(HeldBy("c", 3600s));
    subject->Stand();
  }
  EXPECT_NE(a.wake_at(), b.wake_at());
}

TEST(Pace, APollingFollowerTakesOverWithinLeaseDurationAndRetryPeriod) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    ElectionSettings settings = UsualSettings("a");
    settings.seed = seed;
    Subject a(settings);
    Record record = HeldBy("b");
    a.Put(record);
    a.Stand();
    a.Pass(std::chrono::milliseconds(7000 + 37 * seed));
    a.Put(Renewed(record));
    a.Pass(15s - 1ms);
    EXPECT_FALSE(a.leads()) << seed;
    a.Pass(2s + 1ms);
    EXPECT_TRUE(a.leads()) << seed;
  }
}

TEST(Pace, AfterAReleaseEachWaitsARandomTimeUpToTheSpread) {
  ElectionSettings settings = UsualSettings("a");
  settings.release_spread = 10ms;
  std::set<std::chrono::nanoseconds> waits;
  for (settings.seed = 0; settings.seed < 20; ++settings.seed) {
    Subject a(settings);
    a.Put(HeldBy("b"));
    a.Stand();
    a.Live();
    a.Sees(a.Put(Released()));
    EXPECT_FALSE(a.leads());
    EXPECT_LE(a.wake_at() - a.now(), 10ms);
    waits.insert(a.wake_at() - a.now());
    a.Pass(10ms);
    EXPECT_TRUE(a.leads());
  }
  EXPECT_GT(waits.size(), 10U);
}

TEST(Pace, ALeaderThatFailsAsksAtMostFourTimesInARetryPeriod) {
  for (const ErrorCode code : {ErrorCode::kUnknown, ErrorCode::kConflict, ErrorCode::kDenied, ErrorCode::kThrottled,
                               ErrorCode::kTimeout, ErrorCode::kCorrupt, ErrorCode::kInvalid}) {
    Subject a("a");
    a.Lead();
    a.Pass(2s);
    a.TakeRequests();
    for (int failure = 0; failure < 1000; ++failure) a.FailNext(code);
    a.Pass(10s);
    EXPECT_LE(a.requests(), 4U * 6U) << ToString(code);
    EXPECT_GE(a.requests(), 4U) << ToString(code);
  }
}

TEST(Pace, AFollowerThatFailsKeepsTheBudgetToo) {
  for (const ErrorCode code : {ErrorCode::kUnknown, ErrorCode::kConflict, ErrorCode::kDenied, ErrorCode::kThrottled,
                               ErrorCode::kTimeout, ErrorCode::kCorrupt, ErrorCode::kAlreadyExists}) {
    Subject a("a");
    for (int failure = 0; failure < 2000; ++failure) {
      a.FailNext(ErrorCode::kNotFound);
      a.FailNext(code);
    }
    a.Stand();
    a.Pass(120s);
    EXPECT_LE(a.requests(), 4U * 76U) << ToString(code);
  }
}

TEST(Pace, TheBackendsWishIsHonoured) {
  Subject a("a");
  a.Put(HeldBy("b", 3600s));
  a.FailNext(Error{ErrorCode::kThrottled, "429", 7s});
  a.Stand();
  a.TakeRequests();
  a.Pass(7s - 1ms);
  EXPECT_EQ(a.requests(), 0U);
  a.Pass(1ms);
  EXPECT_EQ(a.requests(), 1U);
}

TEST(Pace, AWishBeyondLeaseDurationIsNotHonouredForEver) {
  Subject a("a");
  a.Put(Released());
  a.FailNext(Error{ErrorCode::kThrottled, "429", std::chrono::milliseconds::max()});
  a.Stand();
  EXPECT_FALSE(a.leads());
  a.Pass(15s);
  EXPECT_TRUE(a.leads());
}

TEST(Pace, AWishDoesNotKeepALeaderBeyondItsTerm) {
  Subject a("a");
  a.Lead();
  a.FailNext(Error{ErrorCode::kThrottled, "429", 60s});
  a.Pass(10s);
  EXPECT_FALSE(a.leads());
  EXPECT_EQ(a.TakeStory(), (std::vector<std::string>{"update", "ended: expired"}));
}

TEST(Pace, RenewalsComeAtTheirInterval) {
  ElectionSettings settings = UsualSettings("a");
  settings.renew_interval = 5s;
  Subject a(settings);
  a.Lead();
  a.Pass(50s);
  EXPECT_EQ(a.requests(), 10U);
}

TEST(Pace, TheWakeUpIsNeverInThePastForEver) {
  Subject a("a");
  a.HoldRequests();
  a.Stand();
  a.Pass(3600s);
  EXPECT_GT(a.wake_at(), a.now());
}

}  // namespace
}  // namespace leaderelection

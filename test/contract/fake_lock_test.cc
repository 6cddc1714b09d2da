#include "leaderelection/testing/fake_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FakeLockTest : public ::testing::Test {
 protected:
  // Each answer as a word: its order, or what went wrong.
  Done<Stored> Answer() {
    return Done<Stored>([this](const Result<Stored>& answer) {
      answers_.push_back(answer ? std::to_string(answer->version.order) : std::string(ToString(answer.error().code)));
    });
  }
  void Get() { lock_.Get(MonotonicTime(1s), Answer()); }
  void Create(std::string holder) { lock_.Create(MonotonicTime(2s), {.holder_identity = std::move(holder)}, Answer()); }
  void Update(std::string holder, std::uint64_t expected) {
    lock_.Update(MonotonicTime(3s), {.holder_identity = std::move(holder)}, {.order = expected}, Answer());
  }
  std::string Holder() const { return lock_.stored() ? lock_.stored()->record.holder_identity : "none"; }

  FakeLock lock_;
  std::vector<std::string> answers_;
};

TEST_F(FakeLockTest, WritesDownEveryCall) {
  Create("a");
  Update("b", 1);
  Get();
  const auto calls = lock_.TakeCalls();
  EXPECT_THAT(calls, ElementsAre(Verb::kCreate, Verb::kUpdate, Verb::kGet));
  EXPECT_EQ(calls[1].record.holder_identity, "b");
  EXPECT_EQ(calls[1].expected, 1u);
  EXPECT_EQ(calls[1].deadline, MonotonicTime(3s));
  EXPECT_EQ(::testing::PrintToString(calls[1]), R"(Update(holder "b", expected 1))");
  EXPECT_THAT(lock_.TakeCalls(), IsEmpty());
}

TEST_F(FakeLockTest, AFailureChangesNothingAndIsUsedUp) {
  lock_.FailNext(ErrorCode::kThrottled);
  Create("a");
  EXPECT_EQ(Holder(), "none");
  Create("a");
  EXPECT_THAT(answers_, ElementsAre("throttled", "1"));
}

TEST_F(FakeLockTest, AFailureAfterTheCommitHasChangedTheRecord) {
  lock_.FailNextAfterCommit(ErrorCode::kTimeout);
  Create("a");
  EXPECT_EQ(Holder(), "a");
  EXPECT_THAT(answers_, ElementsAre("timeout"));
}

TEST_F(FakeLockTest, AFaultMayWaitForItsVerb) {
  lock_.FailNext(ErrorCode::kConflict, Verb::kUpdate);
  Create("a");
  Get();
  Update("b", 1);
  EXPECT_THAT(answers_, ElementsAre("1", "1", "conflict"));
}

TEST_F(FakeLockTest, FaultsAreUsedUpInTheOrderTheyWereScripted) {
  lock_.FailNext(ErrorCode::kTimeout);
  lock_.FailNext(ErrorCode::kDenied);
  Get();
  Get();
  Get();
  EXPECT_THAT(answers_, ElementsAre("timeout", "denied", "not-found"));
}

TEST_F(FakeLockTest, AReplyIsChangedOnItsWayBackOnly) {
  lock_.ChangeNextReply([](Stored& reply) { reply.version.order = 99; });
  Create("a");
  Get();
  EXPECT_THAT(answers_, ElementsAre("99", "1"));
}

TEST_F(FakeLockTest, EverythingFailsUntilItRecovers) {
  lock_.FailEvery(ErrorCode::kUnknown);
  Create("a");
  Create("a");
  lock_.Recover();
  Create("a");
  EXPECT_THAT(answers_, ElementsAre("unknown", "unknown", "1"));
}

TEST_F(FakeLockTest, AHeldRequestIsCarriedOutWhenItIsAnswered) {
  lock_.Hold();
  Create("a");
  EXPECT_THAT(lock_.TakeCalls(), ElementsAre(Verb::kCreate));
  EXPECT_EQ(Holder(), "none");
  EXPECT_EQ(lock_.held(), 1u);
  lock_.Answer();
  EXPECT_EQ(Holder(), "a");
  EXPECT_THAT(answers_, ElementsAre("1"));
}

TEST_F(FakeLockTest, ACommittedRequestKeepsTheAnswerItGotThen) {
  lock_.Hold();
  Create("a");
  lock_.Commit();
  EXPECT_THAT(answers_, IsEmpty());
  lock_.Put({.holder_identity = "b"});
  lock_.Answer();
  EXPECT_THAT(answers_, ElementsAre("1"));
  EXPECT_EQ(Holder(), "b");
}

TEST_F(FakeLockTest, HeldRequestsAreAnsweredInAnyOrder) {
  lock_.Hold();
  Get();
  Create("a");
  lock_.Answer(1);
  lock_.Answer(0);
  EXPECT_THAT(answers_, ElementsAre("1", "1"));
  EXPECT_THROW(lock_.Answer(), std::out_of_range);
}

TEST_F(FakeLockTest, AHeldRequestAnsweredWithAnErrorIsNeverCarriedOutUnlessItWas) {
  lock_.Hold();
  Create("a");
  lock_.AnswerWith(ErrorCode::kTimeout);
  EXPECT_EQ(Holder(), "none");
  Create("b");
  lock_.Commit();
  lock_.AnswerWith(ErrorCode::kTimeout);
  EXPECT_EQ(Holder(), "b");
  EXPECT_THAT(answers_, ElementsAre("timeout", "timeout"));
}

TEST_F(FakeLockTest, ADroppedRequestAnswersUnknown) {
  lock_.Hold();
  Create("a");
  lock_.Drop();
  EXPECT_THAT(answers_, ElementsAre("unknown"));
}

TEST_F(FakeLockTest, ResumeAnswersAllInOrderAndHoldsNoMore) {
  lock_.Hold();
  Create("a");
  Update("b", 1);
  lock_.Resume();
  Get();
  EXPECT_THAT(answers_, ElementsAre("1", "2", "2"));
}

TEST_F(FakeLockTest, TheDestructorDropsWhatIsHeld) {
  {
    FakeLock lock;
    lock.Hold();
    lock.Get(kNever, Answer());
  }
  EXPECT_THAT(answers_, ElementsAre("unknown"));
}

TEST_F(FakeLockTest, ARolledBackStoreCountsOnFromThere) {
  Create("a");
  const Stored old = *lock_.stored();
  Update("b", 1);
  lock_.RollBack(old);
  Get();
  Update("c", 1);
  lock_.RollBack(0);
  Create("d");
  EXPECT_THAT(answers_, ElementsAre("1", "2", "1", "2", "1"));
}

TEST_F(FakeLockTest, AStorableRecordIsWhatIsStored) {
  lock_.SetStorable([](Record record) {
    record.holder_identity += "!";
    return record;
  });
  Create("a");
  EXPECT_EQ(Holder(), "a!");
  EXPECT_EQ(lock_.Storable({.holder_identity = "b"}).holder_identity, "b!");
  EXPECT_EQ(lock_.TakeCalls().front().record.holder_identity, "a");
}

class FakeLockWatchTest : public FakeLockTest {
 protected:
  std::unique_ptr<Watch> Observe() {
    return lock_.Observe([this](const WatchEvent& event) { told_.push_back(event); });
  }
  std::vector<WatchEvent::Kind> TakeKinds() {
    std::vector<WatchEvent::Kind> kinds;
    for (const WatchEvent& event : std::exchange(told_, {})) kinds.push_back(event.kind);
    return kinds;
  }

  using Kind = WatchEvent::Kind;
  std::vector<WatchEvent> told_;
};

TEST_F(FakeLockWatchTest, TellsWhatAnyoneDoes) {
  const auto watch = Observe();
  Create("a");
  lock_.Put({.holder_identity = "b"});
  lock_.Delete();
  EXPECT_THAT(TakeKinds(), ElementsAre(Kind::kLive, Kind::kChanged, Kind::kChanged, Kind::kDeleted));
  EXPECT_EQ(lock_.watches(), 1u);
}

TEST_F(FakeLockWatchTest, ASilentWatchTellsOnlyWhatIsPushed) {
  lock_.SetWatching(FakeLock::Watching::kSilent);
  const auto watch = Observe();
  Create("a");
  lock_.Delete();
  EXPECT_THAT(TakeKinds(), ElementsAre(Kind::kLive));
  lock_.Push({.kind = Kind::kLost});
  EXPECT_THAT(TakeKinds(), ElementsAre(Kind::kLost));
}

TEST_F(FakeLockWatchTest, ARefusedWatchSaysSoAndNothingMore) {
  lock_.SetWatching(FakeLock::Watching::kRefused);
  const auto watch = Observe();
  Create("a");
  lock_.Push({.kind = Kind::kLost});
  EXPECT_THAT(TakeKinds(), ElementsAre(Kind::kRefused));
  EXPECT_NE(watch, nullptr);
  EXPECT_EQ(lock_.watches(), 0u);
}

TEST_F(FakeLockWatchTest, ABackendThatCannotWatchGivesNone) {
  lock_.SetWatching(FakeLock::Watching::kAbsent);
  EXPECT_EQ(Observe(), nullptr);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(FakeLockWatchTest, AnswersAndEventsSayWhatIsLeft) {
  lock_.SetExpiresIn(5s);
  const auto watch = Observe();
  lock_.Put({.holder_identity = "a"});
  EXPECT_EQ(told_.back().stored.expires_in, 5s);
}

TEST_F(FakeLockWatchTest, ARollBackIsToldNobody) {
  const auto watch = Observe();
  lock_.RollBack({.record = {.holder_identity = "old"}, .version = {.order = 1}});
  EXPECT_THAT(TakeKinds(), ElementsAre(Kind::kLive));
}

}  // namespace
}  // namespace leaderelection::testing

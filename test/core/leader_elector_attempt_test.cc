// TryAcquire and Release, and what Start and Run make of a term that was got by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/elector_stage.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LeaderElectorAttemptTest : public ::testing::Test, protected ElectorStage {
 protected:
  Result<Term> Try(LeaderElector& elector, std::chrono::nanoseconds step = 0ns) {
    std::optional<Result<Term>> result;
    Await([&] { result = elector.TryAcquire(); }, step);
    return *result;
  }
};

TEST_F(LeaderElectorAttemptTest, AFreeLockIsHeldAndRenewedUntilReleased) {
  LeaderElector elector(Config("a"));
  const Result<Term> term = Try(elector);
  ASSERT_TRUE(term.ok());
  executor->Advance(300s);
  EXPECT_TRUE(term->IsValid());
  EXPECT_TRUE(elector.IsLeader());
  Await([&] { elector.Release(); });
  EXPECT_FALSE(term->IsValid());
  EXPECT_EQ(lock->stored()->record.holder_identity, "");
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees a"));
}

TEST_F(LeaderElectorAttemptTest, AHeldLockIsAnErrorThatNamesTheHolder) {
  lock->Put(HeldBy("b"));
  LeaderElector elector(Config("a"));
  const Result<Term> term = Try(elector);
  ASSERT_FALSE(term.ok());
  EXPECT_EQ(term.error().code, ErrorCode::kHeld);
  EXPECT_THAT(term.error().message, HasSubstr("held by b"));
  executor->Advance(60s);
  EXPECT_EQ(lock->stored()->record.holder_identity, "b");
}

TEST_F(LeaderElectorAttemptTest, AnUnreachableLockIsAnErrorWithItsCause) {
  lock->FailNext(Error{ErrorCode::kDenied, "no permission", std::nullopt});
  LeaderElector elector(Config("a"));
  const Result<Term> term = Try(elector);
  ASSERT_FALSE(term.ok());
  EXPECT_EQ(term.error().code, ErrorCode::kDenied);
  EXPECT_EQ(term.error().message, "no permission");
}

TEST_F(LeaderElectorAttemptTest, ALockThatDoesNotAnswerIsGivenUp) {
  lock->Hold();
  LeaderElector elector(Config("a"));
  const Result<Term> term = Try(elector, 100ms);
  ASSERT_FALSE(term.ok());
  EXPECT_EQ(term.error().code, ErrorCode::kTimeout);
}

TEST_F(LeaderElectorAttemptTest, ASecondAttemptWhileHoldingGivesTheSameTerm) {
  LeaderElector elector(Config("a"));
  const Result<Term> first = Try(elector);
  const Result<Term> second = Try(elector);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->fencing_token(), second->fencing_token());
}

TEST_F(LeaderElectorAttemptTest, AnAttemptAfterAReleaseHasAHigherNumber) {
  LeaderElector elector(Config("a"));
  const Result<Term> first = Try(elector);
  Await([&] { elector.Release(); });
  const Result<Term> second = Try(elector);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_GT(second->fencing_token(), first->fencing_token());
  EXPECT_FALSE(first->IsValid());
}

TEST_F(LeaderElectorAttemptTest, StartTakesTheTermOverWithTheSameNumberAndWithoutAWrite) {
  LeaderElector elector(Config("a"));
  const Result<Term> term = Try(elector);
  ASSERT_TRUE(term.ok());
  TakeNotes();
  (void)lock->TakeCalls();
  elector.Start();
  executor->RunUntilIdle();
  EXPECT_THAT(TakeNotes(), ElementsAre("a started " + std::to_string(term->fencing_token())));
  EXPECT_THAT(lock->TakeCalls(), IsEmpty());
  EXPECT_TRUE(term->IsValid());
}

TEST_F(LeaderElectorAttemptTest, ReleaseAfterStartIsAStepDown) {
  LeaderElector elector(Config("a"));
  ASSERT_TRUE(Try(elector).ok());
  elector.Start();
  executor->RunUntilIdle();
  elector.Release();
  executor->RunUntilIdle();
  EXPECT_EQ(lock->stored()->record.holder_identity, "");
  executor->Advance(20s);
  EXPECT_TRUE(elector.IsLeader());
}

TEST_F(LeaderElectorAttemptTest, ALostTermGotByHandIsOverForGood) {
  LeaderElector elector(Config("a"));
  const Result<Term> term = Try(elector);
  ASSERT_TRUE(term.ok());
  TakeNotes();
  lock->Put(HeldBy("b"));
  executor->Advance(5s);
  EXPECT_TRUE(term->stop_token().stop_requested());
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees b"));
  EXPECT_EQ(Try(elector).error().code, ErrorCode::kHeld);
}

TEST_F(LeaderElectorAttemptTest, StartWhileTheReleaseIsUnderWayStandsAfterIt) {
  LeaderElector elector(Config("a"));
  ASSERT_TRUE(Try(elector).ok());
  lock->Hold();
  elector.StepDown();
  executor->RunUntilIdle();
  elector.Start();
  executor->RunUntilIdle();
  lock->Resume();
  executor->Advance(20s);
  EXPECT_TRUE(elector.IsLeader());
  EXPECT_THROW(elector.Start(), std::logic_error);
}

TEST_F(LeaderElectorAttemptTest, ReleaseWithoutATermDoesNothing) {
  LeaderElector elector(Config("a"));
  elector.Release();
  executor->Advance(60s);
  EXPECT_THAT(lock->TakeCalls(), IsEmpty());
}

}  // namespace
}  // namespace leaderelection::testing

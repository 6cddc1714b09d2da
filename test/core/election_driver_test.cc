#include "core/election_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/validity.h"
#include "leaderelection/testing/fake_lock.h"
#include "leaderelection/testing/simulated_executor.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FakeLock;
using ::testing::IsEmpty;
using testing::SimulatedExecutor;
using LockVerb = testing::Verb;

class ElectionDriverTest : public ::testing::Test {
 protected:
  ElectionDriverTest() { Make(); }

  void Make() {
    ElectionSettings settings;
    settings.identity = "a";
    driver_ = std::make_shared<ElectionDriver>(settings, lock_, executor_, validity_,
                                               [this](const Announcement& news) { Hear(news); });
  }
  void Hear(const Announcement& news) {
    if (std::holds_alternative<announce::TermStarted>(news)) told_.emplace_back("started");
    if (std::holds_alternative<announce::WorkMustStop>(news)) told_.emplace_back("must stop");
    if (std::holds_alternative<announce::TermEnded>(news)) told_.emplace_back("ended");
    if (std::holds_alternative<announce::Idle>(news)) told_.emplace_back("idle");
    if (std::holds_alternative<announce::Overrun>(news)) told_.emplace_back("overrun");
  }
  void ForgetCalls() { static_cast<void>(lock_->TakeCalls()); }
  Record HeldBy(const std::string& identity) {
    const auto time = WallTime(std::chrono::seconds(1'700'000'000) + ++written_ * 1ms);
    return {.holder_identity = identity, .lease_duration = 15s, .acquire_time = time, .renew_time = time};
  }

  const std::shared_ptr<FakeLock> lock_ = std::make_shared<FakeLock>();
  const std::shared_ptr<SimulatedExecutor> executor_ = std::make_shared<SimulatedExecutor>();
  const std::shared_ptr<Validity> validity_ = std::make_shared<Validity>(executor_->clock());
  std::shared_ptr<ElectionDriver> driver_;
  std::vector<std::string> told_;
  int written_ = 0;
};

TEST_F(ElectionDriverTest, ItSendsWhatIsDecidedAndAnnouncesWhatComesOfIt) {
  driver_->Stand(Election::Role::kCandidate);
  EXPECT_THAT(lock_->TakeCalls(), IsEmpty()) << "nothing runs on the caller's thread";
  executor_->RunUntilIdle();
  EXPECT_TRUE(validity_->IsValid());
  driver_->Resign(Election::Resignation::kStop, true);
  executor_->RunUntilIdle();
  EXPECT_THAT(told_, ElementsAre("started", "must stop", "ended", "idle"));
}

TEST_F(ElectionDriverTest, ItWakesTheElectionInTime) {
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  ForgetCalls();
  executor_->Advance(20s);
  EXPECT_EQ(lock_->TakeCalls().size(), 10U) << "one renewal each two seconds";
  EXPECT_TRUE(validity_->IsValid());
}

TEST_F(ElectionDriverTest, NoBackendCanHoldUpAStepDown) {
  driver_->Stand(Election::Role::kOneTerm);
  executor_->RunUntilIdle();
  lock_->Hold();
  executor_->Advance(10s);
  EXPECT_THAT(told_, ElementsAre("started", "ended", "idle"));
}

TEST_F(ElectionDriverTest, ADroppedRequestCountsAsUnanswered) {
  lock_->Hold();
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  lock_->Drop();
  lock_->Resume();
  executor_->Advance(3s);
  EXPECT_TRUE(validity_->IsValid());
}

TEST_F(ElectionDriverTest, AFollowerHearsOfAReleaseByTheWatch) {
  lock_->Put(HeldBy("b"));
  driver_->Stand(Election::Role::kCandidate);
  executor_->Advance(1s);
  EXPECT_FALSE(validity_->IsValid());
  lock_->Put(Record{.holder_identity = "", .lease_duration = 1s});
  executor_->RunUntilIdle();
  EXPECT_TRUE(validity_->IsValid());
}

TEST_F(ElectionDriverTest, WhereTheBackendCannotWatchItPolls) {
  lock_->SetWatching(FakeLock::Watching::kAbsent);
  lock_->Put(HeldBy("b"));
  driver_->Stand(Election::Role::kCandidate);
  executor_->Advance(10s);
  EXPECT_GE(lock_->TakeCalls().size(), 5U);
}

TEST_F(ElectionDriverTest, TheWatchIsClosedWithTheCandidacy) {
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  EXPECT_EQ(lock_->watches(), 1U);
  driver_->Resign(Election::Resignation::kStop, true);
  executor_->RunUntilIdle();
  EXPECT_EQ(lock_->watches(), 0U);
}

// Found by seed 641: after an idle moment that something else was told with, the old watch stayed, whose being live the
// election had forgotten; it polled for ever after.
TEST_F(ElectionDriverTest, TheWatchIsClosedAlsoIfIdlenessIsNotTheLastThingTold) {
  driver_->Stand(Election::Role::kOneTerm);
  executor_->RunUntilIdle();
  driver_->WorkStarted();
  executor_->RunUntilIdle();
  executor_->Stall(20s);
  executor_->RunUntilIdle();
  EXPECT_THAT(told_, ElementsAre("started", "ended", "idle", "overrun"));
  EXPECT_EQ(lock_->watches(), 0U);
}

TEST_F(ElectionDriverTest, WhoStandsAgainInTheStepThatEndedItsTermGetsANewWatch) {
  driver_->Stand(Election::Role::kOneTerm);
  executor_->RunUntilIdle();
  executor_->Stall(11s);
  lock_->Put(HeldBy("b"));
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  EXPECT_EQ(lock_->watches(), 1U);
  ForgetCalls();
  for (int renewal = 0; renewal < 20; ++renewal) {
    executor_->Advance(2s);
    lock_->Put(HeldBy("b"));
  }
  EXPECT_THAT(lock_->TakeCalls(), IsEmpty()) << "the watch is known to be live";
}

TEST_F(ElectionDriverTest, WhatAClosedWatchToldSaysNothingOfTheNextOne) {
  lock_->Put(HeldBy("b"));
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  driver_->Resign(Election::Resignation::kStop, true);
  driver_->Stand(Election::Role::kCandidate);
  lock_->Push({.kind = WatchEvent::Kind::kLost});  // queued behind both, from the watch that they close
  executor_->RunUntilIdle();
  ForgetCalls();
  for (int renewal = 0; renewal < 10; ++renewal) {
    executor_->Advance(2s);
    lock_->Put(HeldBy("b"));
  }
  EXPECT_THAT(lock_->TakeCalls(), IsEmpty());
}

TEST_F(ElectionDriverTest, AfterCloseNothingIsSentOrAnnounced) {
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  ForgetCalls();
  told_.clear();
  driver_->Close();
  EXPECT_FALSE(validity_->IsValid());
  driver_->Stand(Election::Role::kCandidate);
  executor_->Advance(60s);
  EXPECT_THAT(lock_->TakeCalls(), IsEmpty());
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_EQ(lock_->watches(), 0U);
}

TEST_F(ElectionDriverTest, AnAnswerAfterItsDestructionIsHarmless) {
  lock_->Hold();
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  driver_->Close();
  driver_.reset();
  lock_->Resume();
  EXPECT_NO_THROW(executor_->Advance(60s));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(ElectionDriverTest, MetadataIsInTheNextRecord) {
  driver_->SetMetadata({{"zone", "1"}});
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  EXPECT_EQ(lock_->stored()->record.metadata.at("zone"), "1");
}

TEST_F(ElectionDriverTest, RequestsCarryTheirDeadline) {
  driver_->Stand(Election::Role::kCandidate);
  executor_->RunUntilIdle();
  const auto calls = lock_->TakeCalls();
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.front(), LockVerb::kGet);
  EXPECT_EQ(calls.front().deadline - executor_->Now(), 3333ms);
}

}  // namespace
}  // namespace leaderelection

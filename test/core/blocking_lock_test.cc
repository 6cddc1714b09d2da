#include "leaderelection/blocking_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "leaderelection/testing/lock_client.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using leaderelection::testing::LockClient;
using leaderelection::testing::PendingAnswer;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience{30};

// Only Get does anything.
BlockingLock::Functions Reading(std::function<Result<Stored>()> read) {
  return {
      .get = [read = std::move(read)](MonotonicTime) { return read(); },
      .create = [](MonotonicTime, const Record&) -> Result<Stored> { return Error{}; },
      .update = [](MonotonicTime, const Record&, const Version&) -> Result<Stored> { return Error{}; },
  };
}

LockClient ClientOf(BlockingLock::Functions functions) {
  return LockClient(std::make_shared<BlockingLock>(std::move(functions), "name"), kPatience);
}

TEST(BlockingLock, NamesEverythingThatIsMissing) {
  try {
    BlockingLock lock({}, "");
    FAIL() << "it was taken";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_THAT(refusal.what(), AllOf(HasSubstr("get"), HasSubstr("create"), HasSubstr("update"), HasSubstr("name")));
  }
}

TEST(BlockingLock, NamesOnlyWhatIsMissing) {
  try {
    BlockingLock lock(Reading([]() -> Result<Stored> { return Stored{}; }), "");
    FAIL() << "it was taken";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(), "BlockingLock: missing: name");
  }
}

TEST(BlockingLock, IsCalledWhatItWasNamed) {
  EXPECT_EQ(ClientOf(Reading([] { return Stored{}; })).lock().Describe(), "name");
}

TEST(BlockingLock, PassesEverythingOn) {
  const MonotonicTime deadline = BootClock::now() + 1h;
  MonotonicTime seen_deadline;
  Version seen_version;
  const auto client =
      ClientOf({.get = [](MonotonicTime) -> Result<Stored> { return Error{}; },
                .create = [](MonotonicTime, const Record&) -> Result<Stored> { return Error{}; },
                .update = [&](MonotonicTime until, const Record& record, const Version& expected) -> Result<Stored> {
                  seen_deadline = until;
                  seen_version = expected;
                  return Stored{.record = record, .version = {.order = 8}};
                }});
  const auto origin = std::make_shared<const int>(1);
  const auto answer = client.Update(deadline, {.holder_identity = "a"}, {.order = 7, .origin = origin});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->record.holder_identity, "a");
  EXPECT_EQ(answer->version.order, 8u);
  EXPECT_EQ(seen_deadline, deadline);
  EXPECT_EQ(seen_version.order, 7u);
  EXPECT_EQ(seen_version.origin, origin);
}

TEST(BlockingLock, RunsOneFunctionAtATimeInTheOrderOfTheCalls) {
  std::atomic<bool> inside = false;
  std::uint64_t reads = 0;
  const auto client = ClientOf(Reading([&]() -> Result<Stored> {
    EXPECT_FALSE(inside.exchange(true));
    std::this_thread::yield();
    inside = false;
    return Stored{.version = {.order = ++reads}};
  }));
  std::vector<PendingAnswer> answers(100);
  for (PendingAnswer& answer : answers) client.lock().Get(client.Deadline(), answer.MakeDone());
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].Wait(kPatience)->version.order, i + 1);
}

TEST(BlockingLock, AFunctionThatThrowsAnswersUnknownWithWhatItSaid) {
  const auto answer = ClientOf(Reading([]() -> Result<Stored> { throw std::runtime_error("the disk is gone"); })).Get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnknown);
  EXPECT_EQ(answer.error().message, "the disk is gone");
}

TEST(BlockingLock, AFunctionMayThrowAnything) {
  const auto answer = ClientOf(Reading([]() -> Result<Stored> { throw 42; })).Get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnknown);
}

TEST(BlockingLock, ARequestWhoseDeadlinePassesInTheQueueIsAnsweredWithoutBeingRun) {
  const MonotonicTime deadline = BootClock::now() + 20ms;
  std::atomic<int> runs = 0;
  const auto client = ClientOf(Reading([&]() -> Result<Stored> {
    ++runs;
    while (BootClock::now() <= deadline) std::this_thread::yield();
    return Stored{};
  }));
  PendingAnswer first;
  client.lock().Get(client.Deadline(), first.MakeDone());
  const auto second = client.Get(deadline);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(first.Wait(kPatience));
  EXPECT_EQ(runs, 1);
}

TEST(BlockingLock, TheDestructorWaitsForTheRunningFunctionAndDropsTheQueue) {
  std::latch began(1);
  PendingAnswer running;
  PendingAnswer queued;
  std::atomic<int> runs = 0;
  auto client = ClientOf(Reading([&]() -> Result<Stored> {
    ++runs;
    began.count_down();
    // The queue is dropped while this runs, so it may wait for that.
    while (queued.times() == 0) std::this_thread::yield();
    return Stored{};
  }));
  client.lock().Get(client.Deadline(), running.MakeDone());
  client.lock().Get(client.Deadline(), queued.MakeDone());
  began.wait();
  client.Disconnect();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(running.times(), 1);
  EXPECT_TRUE(running.Wait(kPatience));
  EXPECT_EQ(queued.Wait(kPatience).error().code, ErrorCode::kUnknown);
}

TEST(BlockingLockDeathTest, DestroyedInsideItsOwnAnswerItNamesTheMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto lock = std::make_unique<BlockingLock>(Reading([] { return Stored{}; }), "name");
        std::latch never(1);
        lock->Get(BootClock::now() + kPatience, Done<Stored>([&](const Result<Stored>&) { lock.reset(); }));
        never.wait();
      },
      "destroyed inside one of its own answers");
}

}  // namespace
}  // namespace leaderelection

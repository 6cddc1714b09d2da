#include "leaderelection/testing/simulated_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SimulatedExecutorTest : public ::testing::Test {
 protected:
  Task Note(std::string what) {
    return [this, what = std::move(what)] { notes_.push_back(what); };
  }

  SimulatedExecutor executor_;
  const MonotonicTime start_ = executor_.Now();
  const WallTime wall_start_ = executor_.WallNow();
  std::vector<std::string> notes_;
};

TEST_F(SimulatedExecutorTest, NothingRunsUntilItIsTold) {
  executor_.Post(Note("a"));
  executor_.PostAt(start_ - 1s, Note("b"));
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_EQ(executor_.RunUntilIdle(), 2u);
  EXPECT_THAT(notes_, ElementsAre("a", "b"));
  EXPECT_EQ(executor_.Now(), start_);
}

TEST_F(SimulatedExecutorTest, TasksRunByTimeThenInTheOrderTheyWerePosted) {
  executor_.PostAt(start_ + 2s, Note("c"));
  executor_.PostAt(start_ + 1s, Note("b1"));
  executor_.PostAt(start_ + 1s, Note("b2"));
  executor_.Post(Note("a"));
  EXPECT_EQ(executor_.Advance(2s), 4u);
  EXPECT_THAT(notes_, ElementsAre("a", "b1", "b2", "c"));
}

TEST_F(SimulatedExecutorTest, EachTaskSeesItsOwnTimeOnBothClocks) {
  executor_.PostAt(start_ + 90min, [this] {
    EXPECT_EQ(executor_.Now(), start_ + 90min);
    EXPECT_EQ(executor_.WallNow(), wall_start_ + 90min);
    executor_.Post(Note("ran"));
  });
  executor_.Advance(10h);
  EXPECT_THAT(notes_, ElementsAre("ran"));
  EXPECT_EQ(executor_.Now(), start_ + 10h);
}

TEST_F(SimulatedExecutorTest, WhatTasksPostRunsWithinTheSameAdvance) {
  std::function<void()> tick = [&] {
    notes_.emplace_back("tick");
    executor_.PostAt(executor_.Now() + 1s, tick);
  };
  executor_.Post(tick);
  EXPECT_EQ(executor_.Advance(3s), 4u);
  EXPECT_EQ(executor_.pending(), 1u);
  EXPECT_EQ(executor_.next(), start_ + 4s);
}

TEST_F(SimulatedExecutorTest, RunUntilIdleRunsOnlyWhatIsDueNow) {
  executor_.Post([this] { executor_.Post(Note("now")); });
  executor_.PostAt(start_ + 1ns, Note("later"));
  executor_.RunUntilIdle();
  EXPECT_THAT(notes_, ElementsAre("now"));
  EXPECT_EQ(executor_.pending(), 1u);
}

TEST_F(SimulatedExecutorTest, TimeNeverGoesBack) {
  executor_.RunUntil(start_ - 1h);
  EXPECT_EQ(executor_.Now(), start_);
  executor_.Advance(-1h);
  EXPECT_EQ(executor_.Now(), start_);
}

TEST_F(SimulatedExecutorTest, AfterAStallWhatFellDueRunsLateAndInOrder) {
  executor_.PostAt(start_ + 2s, [this] { EXPECT_EQ(executor_.Now(), start_ + 1h); });
  executor_.PostAt(start_ + 1s, Note("a"));
  executor_.Stall(1h);
  EXPECT_THAT(notes_, IsEmpty());
  executor_.Post(Note("b"));
  EXPECT_EQ(executor_.RunUntilIdle(), 3u);
  EXPECT_THAT(notes_, ElementsAre("a", "b"));
}

TEST_F(SimulatedExecutorTest, TheWallClockIsSetAndSteppedAlone) {
  executor_.StepWallTime(-1h);
  EXPECT_EQ(executor_.WallNow(), wall_start_ - 1h);
  EXPECT_EQ(executor_.Now(), start_);
  executor_.Advance(1s);
  EXPECT_EQ(executor_.WallNow(), wall_start_ - 1h + 1s);
  executor_.SetWallTime(wall_start_);
  EXPECT_EQ(executor_.WallNow(), wall_start_);
}

TEST_F(SimulatedExecutorTest, AFrozenWallClockStaysUntilItIsSet) {
  executor_.FreezeWallTime();
  executor_.Advance(1h);
  EXPECT_EQ(executor_.WallNow(), wall_start_);
  executor_.StepWallTime(1us);
  executor_.Advance(1s);
  EXPECT_EQ(executor_.WallNow(), wall_start_ + 1s + 1us);
}

TEST_F(SimulatedExecutorTest, ATaskThatPostsItselfForEverIsReported) {
  std::function<void()> again = [&] { executor_.Post(again); };
  executor_.Post(again);
  EXPECT_THROW(executor_.RunUntilIdle(), std::logic_error);
}

TEST_F(SimulatedExecutorTest, TheClockOutlivesTheExecutor) {
  auto executor = std::make_unique<SimulatedExecutor>(MonotonicTime(5s), WallTime(7s));
  const auto clock = executor->clock();
  executor->Advance(1s);
  executor.reset();
  EXPECT_EQ(clock->Now(), MonotonicTime(6s));
  EXPECT_EQ(clock->WallNow(), WallTime(8s));
}

TEST_F(SimulatedExecutorTest, TasksThatHaveNotRunAreDroppedAlsoIfThatPostsMore) {
  auto executor = std::make_unique<SimulatedExecutor>();
  const auto owned = std::make_shared<int>();
  auto posts_as_it_goes = std::shared_ptr<int>(new int, [&executor_ref = *executor, owned](int* value) {
    executor_ref.Post([owned] {});
    delete value;
  });
  executor->Post([held = std::move(posts_as_it_goes)] {});
  executor.reset();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(SimulatedExecutorTest, AnyThreadMayPost) {
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([this] {
        for (int j = 0; j < 100; ++j) executor_.PostAt(executor_.Now() + 1s, Note("x"));
      });
    }
  }
  EXPECT_EQ(executor_.Advance(1s), 400u);
}

}  // namespace
}  // namespace leaderelection::testing

#include "core/callback_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <vector>

namespace leaderelection {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kPlenty = 100;

TEST(CallbackQueue, RunsTasksInTheirOrderOneAtATime) {
  std::vector<int> ran;
  std::latch done(1);
  CallbackQueue queue("test", nullptr, kPlenty);
  for (int number = 0; number < 50; ++number) queue.Push([&ran, number] { ran.push_back(number); });
  queue.Push([&] { done.count_down(); });
  done.wait();
  ASSERT_EQ(ran.size(), 50U);
  for (int number = 0; number < 50; ++number) EXPECT_EQ(ran[number], number);
}

TEST(CallbackQueue, KnowsItsOwnTasks) {
  std::atomic<bool> inside = false;
  std::latch done(1);
  CallbackQueue queue("test", nullptr, kPlenty);
  EXPECT_FALSE(queue.IsCurrent());
  queue.Push([&] {
    inside = queue.IsCurrent();
    done.count_down();
  });
  done.wait();
  EXPECT_TRUE(inside);
}

TEST(CallbackQueue, BeyondItsCapacityTheOldestIsDropped) {
  std::vector<int> ran;
  std::vector<Task> elsewhere;
  CallbackQueue queue(
      "test", [&](Task task) { elsewhere.push_back(std::move(task)); }, 2);
  EXPECT_TRUE(queue.Push([&] { ran.push_back(1); }));
  EXPECT_TRUE(queue.Push([&] { ran.push_back(2); }));
  EXPECT_FALSE(queue.Push([&] { ran.push_back(3); }));
  ASSERT_EQ(elsewhere.size(), 1U);
  elsewhere.front()();
  EXPECT_THAT(ran, ElementsAre(2, 3));
}

TEST(CallbackQueue, ATaskMayPushAnother) {
  std::vector<int> ran;
  std::vector<Task> elsewhere;
  CallbackQueue queue(
      "test", [&](Task task) { elsewhere.push_back(std::move(task)); }, kPlenty);
  queue.Push([&] {
    ran.push_back(1);
    queue.Push([&] { ran.push_back(2); });
  });
  while (!elsewhere.empty()) {
    const Task task = std::move(elsewhere.back());
    elsewhere.pop_back();
    task();
  }
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST(CallbackQueue, WhatWaitsWhenItGoesIsDroppedAlsoIfItIsRunLater) {
  bool ran = false;
  std::vector<Task> elsewhere;
  {
    CallbackQueue queue(
        "test", [&](Task task) { elsewhere.push_back(std::move(task)); }, kPlenty);
    queue.Push([&] { ran = true; });
  }
  for (const Task& task : elsewhere) task();
  EXPECT_FALSE(ran);
}

TEST(CallbackQueue, ItsEndWaitsForTheTaskThatRuns) {
  std::atomic<bool> finished = false;
  std::latch started(1);
  {
    CallbackQueue queue("test", nullptr, kPlenty);
    queue.Push([&] {
      started.count_down();
      std::this_thread::yield();
      finished = true;
    });
    started.wait();
  }
  EXPECT_TRUE(finished);
}

}  // namespace
}  // namespace leaderelection

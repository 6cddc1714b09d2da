#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "leaderelection/executor.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr auto kPatience = 30s;

// True once everything posted before has run.
bool Ran(EventLoop& loop) {
  auto ran = std::make_shared<std::promise<void>>();
  loop.Post([ran] { ran->set_value(); });
  return ran->get_future().wait_for(kPatience) == std::future_status::ready;
}

// True once the loop has come to a time that far away.
bool Reached(EventLoop& loop, std::chrono::nanoseconds away) {
  auto reached = std::make_shared<std::promise<void>>();
  loop.PostAt(loop.Now() + away, [reached] { reached->set_value(); });
  return reached->get_future().wait_for(kPatience) == std::future_status::ready;
}

std::chrono::nanoseconds ProcessorTime() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

TEST(EventLoop, TasksRunInTheOrderTheyWerePosted) {
  EventLoop loop;
  std::vector<int> ran;
  for (int i = 0; i < 1000; ++i) loop.Post([&ran, i] { ran.push_back(i); });
  ASSERT_TRUE(Ran(loop));
  std::vector<int> posted(1000);
  std::iota(posted.begin(), posted.end(), 0);
  EXPECT_EQ(ran, posted);
}

TEST(EventLoop, NoTaskRunsInsidePost) {
  EventLoop loop;
  std::vector<int> ran;
  loop.Post([&] {
    loop.Post([&] { ran.push_back(3); });
    loop.PostAt(MonotonicTime(), [&] { ran.push_back(4); });
    ran.push_back(1);
  });
  loop.Post([&] { ran.push_back(2); });
  ASSERT_TRUE(Ran(loop));
  ASSERT_TRUE(Ran(loop));
  EXPECT_EQ(ran.front(), 1);
  EXPECT_THAT(ran, ::testing::UnorderedElementsAre(1, 2, 3, 4));
}

TEST(EventLoop, TimersRunByTimeThenInTheOrderTheyWerePosted) {
  EventLoop loop;
  std::vector<int> ran;
  const MonotonicTime now = loop.Now();
  loop.Post([&] {
    loop.PostAt(now + 3h, [&] { ran.push_back(4); });
    loop.PostAt(now + 60ms, [&] { ran.push_back(3); });
    loop.PostAt(now + 50ms, [&] { ran.push_back(1); });
    loop.PostAt(now + 50ms, [&] { ran.push_back(2); });
  });
  ASSERT_TRUE(Reached(loop, 100ms));
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST(EventLoop, ATimeThatHasPassedIsNow) {
  EventLoop loop;
  std::vector<int> ran;
  loop.Post([&] {
    loop.PostAt(loop.Now() - 1s, [&] { ran.push_back(1); });
    loop.PostAt(loop.Now() - 2s, [&] { ran.push_back(2); });
    loop.Post([&] { ran.push_back(3); });
    loop.PostAt(MonotonicTime::min(), [&] { ran.push_back(4); });
  });
  ASSERT_TRUE(Ran(loop));
  ASSERT_TRUE(Ran(loop));
  EXPECT_THAT(ran, ElementsAre(1, 2, 3, 4));
}

TEST(EventLoop, NoTimerRunsEarly) {
  EventLoop loop;
  std::atomic<int> early = 0;
  std::latch all(100);
  for (int i = 0; i < 100; ++i) {
    const MonotonicTime time = loop.Now() + i * 317us;
    loop.PostAt(time, [&, time] {
      if (BootClock::now() < time) ++early;
      all.count_down();
    });
  }
  all.wait();
  EXPECT_EQ(early, 0);
}

TEST(EventLoop, ASleepingLoopIsWokenByAnEarlierTimer) {
  EventLoop loop;
  loop.PostAt(loop.Now() + 3h, [] { FAIL() << "three hours early"; });
  ASSERT_TRUE(Reached(loop, 20ms));
  ASSERT_TRUE(Reached(loop, 10ms));
}

TEST(EventLoop, ATimeWithoutEndDisturbsNothing) {
  EventLoop loop;
  loop.PostAt(kNever, [] { FAIL(); });
  loop.PostAt(kNever - 1ns, [] { FAIL(); });
  EXPECT_TRUE(Reached(loop, 5ms));
  EXPECT_TRUE(Ran(loop));
}

TEST(EventLoop, AnIdleLoopUsesNoProcessor) {
  EventLoop empty;
  EventLoop waiting;
  ASSERT_TRUE(Reached(empty, 1ms));
  ASSERT_TRUE(Reached(waiting, 1ms));
  const auto before = ProcessorTime();
  ASSERT_TRUE(Reached(waiting, 400ms));
  EXPECT_LT(ProcessorTime() - before, 200ms);
}

TEST(EventLoop, TasksOfManyThreadsRunOneAtATimeAndEachThreadsInOrder) {
  EventLoop loop;
  constexpr int kThreads = 8;
  constexpr int kTasks = 2000;
  std::vector<int> next(kThreads);  // touched by the loop's thread alone
  int out_of_order = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kTasks; ++i) {
          loop.Post([&, thread, i] { out_of_order += next[thread]++ != i; });
        }
      });
    }
  }
  ASSERT_TRUE(Ran(loop));
  EXPECT_EQ(out_of_order, 0);
  EXPECT_THAT(next, ::testing::Each(kTasks));
}

TEST(EventLoop, AThousandTimersThatSetThemselvesAgainAllRun) {
  EventLoop loop;
  std::atomic<int> runs = 0;
  std::latch all(1000);
  std::function<void(int)> run = [&](int left) {
    ++runs;
    if (left == 0) return all.count_down();
    loop.PostAt(loop.Now() + 1ms, [&run, left] { run(left - 1); });
  };
  for (int i = 0; i < 1000; ++i) loop.Post([&run] { run(4); });
  all.wait();
  EXPECT_EQ(runs, 5000);
}

TEST(EventLoop, TheDestructorDropsWhatHasNotRun) {
  const auto owned = std::make_shared<int>();
  {
    EventLoop loop;
    loop.PostAt(loop.Now() + 3h, [owned] { FAIL(); });
    loop.Post([&loop, owned] { loop.Post([owned] {}); });
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(EventLoop, TheDestructorWaitsForTheRunningTask) {
  std::latch began(1);
  bool finished = false;
  {
    EventLoop loop;
    loop.Post([&] {
      began.count_down();
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      finished = true;
    });
    began.wait();
  }
  EXPECT_TRUE(finished);
}

TEST(EventLoop, ADroppedTaskMayPostAsItGoes) {
  auto loop = std::make_unique<EventLoop>();
  EventLoop* const dying = loop.get();
  bool went = false;
  std::shared_ptr<int> posts_as_it_goes(new int, [&, dying](int* value) {
    dying->Post([] { FAIL(); });
    dying->PostAt(dying->Now() + 1s, [] { FAIL(); });
    went = true;
    delete value;
  });
  loop->PostAt(loop->Now() + 3h, [held = std::move(posts_as_it_goes)] {});
  loop.reset();
  EXPECT_TRUE(went);
}

TEST(EventLoop, TheClockTellsTheMachinesTimeAndOutlivesTheLoop) {
  auto loop = std::make_unique<EventLoop>();
  const auto clock = loop->clock();
  loop.reset();
  const MonotonicTime before = BootClock::now();
  const MonotonicTime now = clock->Now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, BootClock::now());
  EXPECT_LT(std::chrono::abs(std::chrono::system_clock::now() - clock->WallNow()), 1min);
}

TEST(EventLoop, SignalsOfTheProcessAreLeftToTheProgramsThreads) {
  EventLoop loop;
  sigset_t blocked;
  loop.Post([&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  ASSERT_TRUE(Ran(loop));
  EXPECT_TRUE(sigismember(&blocked, SIGTERM));
  EXPECT_FALSE(sigismember(&blocked, SIGSEGV));
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGTERM)) << "the caller's mask was not put back";
}

TEST(EventLoopDeathTest, ATaskThatThrowsTerminates) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        EventLoop loop;
        loop.Post([] { throw std::runtime_error("a mistake"); });
        Ran(loop);
      },
      "a mistake");
}

TEST(EventLoopDeathTest, DestroyedInsideItsOwnTaskItNamesTheMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto loop = std::make_unique<EventLoop>();
        auto& alive = *loop;
        alive.Post([&loop] { loop.reset(); });
        Ran(alive);
      },
      "destroyed inside one of its own tasks");
}

}  // namespace
}  // namespace leaderelection

#include "net/io_thread.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "net/answer_box.h"

namespace leaderelection::net {
namespace {

using testing::AnswerBox;

TEST(IoThread, RunsTasksInOrderOnOneThreadOfItsOwn) {
  IoThread io;
  std::vector<int> order;
  AnswerBox<std::thread::id> box;
  for (int i = 0; i < 3; ++i) io.Post([&order, i] { order.push_back(i); });
  io.Post([&] { box.Put(std::this_thread::get_id()); });
  EXPECT_NE(box.Take(), std::this_thread::get_id());
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(IoThread, RunAndWaitReturnsWhenTheTaskHasRun) {
  IoThread io;
  int runs = 0;
  io.RunAndWait([&] { io.RunAndWait([&] { ++runs; }); });
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(io.IsCurrent());
}

TEST(IoThread, DropsWhatHasNotRunWhenDestroyed) {
  auto kept = std::make_shared<int>(0);
  {
    IoThread io;
    AnswerBox<bool> running;
    AnswerBox<bool> proceed;
    io.Post([&] {
      running.Put(true);
      proceed.Take();
    });
    running.Take();
    io.Post([kept] { ++*kept; });
    // The destructor stops the context first; the running task then ends, and the one behind it never starts.
    io.context().stop();
    proceed.Put(true);
  }
  EXPECT_EQ(*kept, 0);
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(IoThread, TheLastReferenceMayBeDroppedOnItsOwnThread) {
  for (int i = 0; i < 100; ++i) {
    AnswerBox<bool> dropped;
    AnswerBox<bool> proceed;
    auto io = std::make_shared<IoThread>();
    io->Post([&, io]() mutable {
      proceed.Take();
      io.reset();
      dropped.Put(true);
    });
    io.reset();
    proceed.Put(true);
    EXPECT_TRUE(dropped.Take());
  }
}

TEST(IoThread, WhatIsPendingGoesWithTheThreadThatDropsItself) {
  AnswerBox<bool> gone;
  {
    const auto told = std::shared_ptr<void>(nullptr, [&](void*) { gone.Put(true); });
    auto io = std::make_shared<IoThread>();
    io->Post([io, told]() mutable {
      io->Post([told] {});
      io.reset();
    });
  }
  EXPECT_TRUE(gone.Take());
}

}  // namespace
}  // namespace leaderelection::net

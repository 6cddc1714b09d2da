#include "leaderelection/memory_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace leaderelection {
namespace {

using ::testing::ElementsAre;

// Every answer of a MemoryLock is there when the call returns.
Stored Read(MemoryLock& lock) {
  std::optional<Result<Stored>> answer;
  lock.Get(kNever, Done<Stored>([&](Result<Stored> result) { answer = std::move(result); }));
  return answer->value();
}

Stored Create(MemoryLock& lock, std::string holder) {
  std::optional<Result<Stored>> answer;
  lock.Create(kNever, {.holder_identity = std::move(holder)},
              Done<Stored>([&](Result<Stored> result) { answer = std::move(result); }));
  return answer->value();
}

bool Update(MemoryLock& lock, std::string holder, const Version& expected) {
  bool updated = false;
  lock.Update(kNever, {.holder_identity = std::move(holder)}, expected,
              Done<Stored>([&](const Result<Stored>& result) { updated = result.ok(); }));
  return updated;
}

std::string Spell(const WatchEvent& event) {
  switch (event.kind) {
    case WatchEvent::Kind::kLive:
      return "live";
    case WatchEvent::Kind::kChanged:
      return event.stored.record.holder_identity;
    case WatchEvent::Kind::kDeleted:
      return "deleted";
    case WatchEvent::Kind::kLost:
      return "lost";
    case WatchEvent::Kind::kRefused:
      return "refused";
  }
  return "?";
}

TEST(MemoryLock, AnEmptyNameIsRefused) { EXPECT_THROW(MemoryLock(""), std::invalid_argument); }

TEST(MemoryLock, TheNumberIsACounterThatDeletionsCountToo) {
  MemoryLock lock;
  EXPECT_EQ(Create(lock, "a").version.order, 1u);
  lock.Delete();
  EXPECT_EQ(Create(lock, "a").version.order, 3u);
}

TEST(MemoryLock, DeletingNothingTellsNothing) {
  MemoryLock lock;
  std::vector<std::string> told;
  const auto watch = lock.Observe([&](const WatchEvent& event) { told.push_back(Spell(event)); });
  lock.Delete();
  EXPECT_THAT(told, ElementsAre("live"));
}

TEST(MemoryLock, WatchersHearOfAChangeBeforeTheWriterDoes) {
  MemoryLock lock;
  std::vector<std::string> heard;
  const auto watch = lock.Observe([&](const WatchEvent& event) { heard.push_back(Spell(event)); });
  lock.Create(kNever, {.holder_identity = "a"},
              Done<Stored>([&](const Result<Stored>&) { heard.push_back("answer"); }));
  EXPECT_THAT(heard, ElementsAre("live", "a", "answer"));
}

TEST(MemoryLock, AWriteInsideAWatchCallbackIsToldAfterIt) {
  MemoryLock lock;
  std::vector<std::string> told;
  const auto watch = lock.Observe([&](const WatchEvent& event) {
    told.push_back("begin " + Spell(event));
    if (Spell(event) == "a") Update(lock, "b", event.stored.version);
    told.push_back("end " + Spell(event));
  });
  Create(lock, "a");
  EXPECT_THAT(told, ElementsAre("begin live", "end live", "begin a", "end a", "begin b", "end b"));
}

TEST(MemoryLock, AWatchMayBeDestroyedInsideItsOwnCallback) {
  MemoryLock lock;
  std::vector<std::string> told;
  std::unique_ptr<Watch> watch;
  const auto captured = std::make_shared<int>();
  watch = lock.Observe([&, captured](const WatchEvent& event) {
    told.push_back(Spell(event));
    if (event.kind != WatchEvent::Kind::kChanged) return;
    Update(lock, "b", event.stored.version);
    watch.reset();
    Update(lock, "c", Read(lock).version);
    told.push_back("destroyed");
  });
  Create(lock, "a");
  lock.Delete();
  EXPECT_THAT(told, ElementsAre("live", "a", "destroyed"));
  EXPECT_EQ(captured.use_count(), 1);
}

TEST(MemoryLock, AWatchMayBeDestroyedInsideTheCallbackOfAnotherThatItsOwnCallbackLedTo) {
  MemoryLock lock;
  std::vector<std::string> told;
  std::unique_ptr<Watch> outer;
  outer = lock.Observe([&](const WatchEvent& event) {
    told.push_back("outer " + Spell(event));
    if (Spell(event) == "a") Update(lock, "b", event.stored.version);
  });
  const auto inner = lock.Observe([&](const WatchEvent& event) {
    told.push_back("inner " + Spell(event));
    if (Spell(event) == "b") outer.reset();
  });
  Create(lock, "a");
  EXPECT_THAT(told, ElementsAre("outer live", "inner live", "outer a", "inner a", "inner b"));
}

TEST(MemoryLock, DestroyingAWatchWaitsForItsRunningCallback) {
  MemoryLock lock;
  std::latch inside(1);
  std::latch about_to_destroy(1);
  std::atomic<bool> returned = false;
  auto watch = lock.Observe([&](const WatchEvent& event) {
    if (event.kind == WatchEvent::Kind::kLive) return;
    inside.count_down();
    about_to_destroy.wait();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    returned = true;
  });
  std::jthread writer([&] { Create(lock, "a"); });
  inside.wait();
  about_to_destroy.count_down();
  watch.reset();
  EXPECT_TRUE(returned);
}

TEST(MemoryLock, ACallbackThatHangsHoldsUpNoOtherWriterAndMissesNothing) {
  MemoryLock lock;
  std::latch inside(1);
  std::latch go_on(1);
  std::vector<std::string> told;
  const auto watch = lock.Observe([&](const WatchEvent& event) {
    told.push_back(Spell(event));
    if (Spell(event) != "a") return;
    inside.count_down();
    go_on.wait();
  });
  {
    std::jthread writer([&] { Create(lock, "a"); });
    inside.wait();
    EXPECT_TRUE(Update(lock, "b", Read(lock).version));
    go_on.count_down();
  }
  EXPECT_THAT(told, ElementsAre("live", "a", "b"));
}

TEST(MemoryLock, MayBeDroppedInsideADoneAndInsideAWatchCallback) {
  auto lock = std::make_shared<MemoryLock>();
  int answers = 0;
  lock->Create(kNever, {}, Done<Stored>([&](const Result<Stored>&) {
                 lock.reset();
                 ++answers;
               }));
  lock = std::make_shared<MemoryLock>();
  const auto watch = lock->Observe([&](const WatchEvent& event) {
    if (event.kind == WatchEvent::Kind::kChanged) lock.reset();
  });
  lock->Create(kNever, {}, Done<Stored>([&](const Result<Stored>&) { ++answers; }));
  EXPECT_EQ(answers, 2);
}

TEST(MemoryLock, AWatchMayOutliveTheLock) {
  auto lock = std::make_unique<MemoryLock>();
  auto watch = lock->Observe([](const WatchEvent&) {});
  lock.reset();
  watch.reset();
}

// Writers, watchers that write in their callbacks, and watches that come and go, all at once: what must hold is that
// nothing deadlocks, races or is told out of order.
TEST(MemoryLock, NothingDeadlocksHoweverCallsAndCallbacksNest) {
  MemoryLock lock;
  Create(lock, "start");
  constexpr int kThreads = 4;
  std::atomic<int> out_of_order = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
          std::uint64_t last = 0;
          int writes_left = 3;
          auto watch = lock.Observe([&](const WatchEvent& event) {
            if (event.kind != WatchEvent::Kind::kChanged) return;
            if (std::exchange(last, event.stored.version.order) >= event.stored.version.order) ++out_of_order;
            if (writes_left-- > 0) Update(lock, "from a callback", event.stored.version);
          });
          for (int i = 0; i < 5; ++i) Update(lock, "from a thread", Read(lock).version);
        }
      });
    }
  }
  EXPECT_EQ(out_of_order, 0);
}

}  // namespace
}  // namespace leaderelection

// On real threads and the real event loop: callbacks that block, and what ends in what order. No test here asserts how
// long anything takes, only what comes before what.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "leaderelection/leader_elector.h"
#include "leaderelection/memory_lock.h"
#include "leaderelection/testing/fake_lock.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Notes {
 public:
  void Add(std::string what) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(what));
  }
  std::vector<std::string> Get() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

void WaitForStop(const std::stop_token& stop) {
  std::binary_semaphore stopped(0);
  const std::stop_callback on_stop(stop, [&] { stopped.release(); });
  stopped.acquire();
}

LeaderElectionConfig On(std::shared_ptr<ResourceLock> lock, const std::string& identity) {
  LeaderElectionConfig config;
  config.lock = std::move(lock);
  config.identity = identity;
  return config;
}

TEST(LeaderElectorThreads, ACleanStopWaitsForTheWorkThenReleasesThenSaysSo) {
  const auto lock = std::make_shared<FakeLock>();
  Notes notes;
  std::latch started(1);
  auto config = On(lock, "a");
  config.release_on_cancel = true;
  LeaderElector* self = nullptr;
  config.callbacks.on_started_leading = [&](const Term& term) {
    started.count_down();
    WaitForStop(term.stop_token());
    notes.Add(term.IsValid() && self->IsLeader() ? "work returns in a valid term" : "too late");
    notes.Add(lock->stored()->record.holder_identity == "a" ? "still held" : "released too early");
  };
  config.callbacks.on_stopped_leading = [&] {
    notes.Add(lock->stored()->record.holder_identity.empty() ? "stopped after the release" : "stopped before it");
    notes.Add(self->IsLeader() ? "still leads" : "leads no more");
  };
  LeaderElector elector(std::move(config));
  self = &elector;
  elector.Start();
  started.wait();
  elector.Stop();
  EXPECT_THAT(notes.Get(),
              ElementsAre("work returns in a valid term", "still held", "stopped after the release", "leads no more"));
}

TEST(LeaderElectorThreads, ARivalStartsOnlyAfterTheWorkHasDrained) {
  const auto lock = std::make_shared<MemoryLock>();
  Notes notes;
  std::latch a_started(1);
  std::latch b_started(1);
  std::latch may_return(1);
  auto a_config = On(lock, "a");
  a_config.release_on_cancel = true;
  a_config.callbacks.on_started_leading = [&](const Term& term) {
    a_started.count_down();
    WaitForStop(term.stop_token());
    may_return.wait();
    notes.Add("a's work returns");
  };
  auto b_config = On(lock, "b");
  b_config.callbacks.on_started_leading = [&](const Term&) {
    notes.Add("b starts");
    b_started.count_down();
  };
  LeaderElector a(std::move(a_config));
  LeaderElector b(std::move(b_config));
  a.Start();
  a_started.wait();
  b.Start();
  std::thread stopper([&] { a.Stop(); });
  may_return.count_down();
  stopper.join();
  b_started.wait();
  EXPECT_THAT(notes.Get(), ElementsAre("a's work returns", "b starts"));
}

TEST(LeaderElectorThreads, RunReturnsAfterTheLastCallback) {
  const auto lock = std::make_shared<MemoryLock>();
  std::atomic<int> running = 0;
  std::stop_source stop;
  auto config = On(lock, "a");
  config.callbacks.on_started_leading = [&](const Term& term) {
    ++running;
    stop.request_stop();
    WaitForStop(term.stop_token());
    --running;
  };
  config.callbacks.on_stopped_leading = [&] { EXPECT_EQ(running, 0); };
  LeaderElector elector(std::move(config));
  elector.Run(stop.get_token());
  EXPECT_EQ(running, 0);
  EXPECT_FALSE(elector.IsLeader());
}

TEST(LeaderElectorThreads, StopInsideACallbackOnlyRequests) {
  const auto lock = std::make_shared<MemoryLock>();
  LeaderElector* self = nullptr;
  std::latch stopped(1);
  auto config = On(lock, "a");
  config.release_on_cancel = true;
  config.callbacks.on_started_leading = [&](const Term& term) {
    self->Stop();
    WaitForStop(term.stop_token());
  };
  config.callbacks.on_stopped_leading = [&] {
    self->Stop();
    stopped.count_down();
  };
  LeaderElector elector(std::move(config));
  self = &elector;
  elector.Start();
  stopped.wait();
  elector.Stop();
}

TEST(LeaderElectorThreads, RunInsideACallbackIsAnError) {
  const auto lock = std::make_shared<MemoryLock>();
  LeaderElector* self = nullptr;
  std::promise<bool> threw;
  auto config = On(lock, "a");
  config.callbacks.on_started_leading = [&](const Term&) {
    try {
      self->Run({});
      threw.set_value(false);
    } catch (const std::logic_error&) {
      threw.set_value(true);
    }
  };
  LeaderElector elector(std::move(config));
  self = &elector;
  elector.Start();
  EXPECT_TRUE(threw.get_future().get());
}

TEST(LeaderElectorThreads, CallbacksThatBlockDelayNoRenewalAndNoOtherElector) {
  const auto loop = std::make_shared<EventLoop>();
  const auto lock = std::make_shared<MemoryLock>("blocked");
  std::latch release(1);
  std::latch blocked(2);
  auto config = On(lock, "a");
  config.executor = loop;
  config.lease_duration = 600ms;
  config.renew_deadline = 400ms;
  config.retry_period = 20ms;
  config.callbacks.on_started_leading = [&](const Term&) {
    blocked.count_down();
    release.wait();
  };
  config.callbacks.on_new_leader = [&](const std::string&) {
    blocked.count_down();
    release.wait();
  };
  LeaderElector a(std::move(config));
  a.Start();
  blocked.wait();
  // Both callbacks hang from here on.
  auto other = On(std::make_shared<MemoryLock>("other"), "b");
  other.executor = loop;
  std::latch b_started(1);
  other.callbacks.on_started_leading = [&](const Term&) { b_started.count_down(); };
  LeaderElector b(std::move(other));
  b.Start();
  b_started.wait();
  // The record goes on changing although every callback hangs: it is renewed.
  std::atomic<int> renewals = 0;
  std::binary_semaphore renewed(0);
  const auto watch = lock->Observe([&](const WatchEvent& event) {
    if (event.kind == WatchEvent::Kind::kChanged && ++renewals == 5) renewed.release();
  });
  EXPECT_TRUE(renewed.try_acquire_for(60s));
  release.count_down();
}

TEST(LeaderElectorThreads, WorkThatIgnoresTheStopIsGivenUpAfterTheDrainTimeoutAndTheLockLeftToExpire) {
  const auto lock = std::make_shared<FakeLock>();
  std::latch started(1);
  std::latch release(1);
  auto config = On(lock, "a");
  config.release_on_cancel = true;
  config.drain_timeout = 50ms;
  config.callbacks.on_started_leading = [&](const Term&) {
    started.count_down();
    release.wait();
  };
  LeaderElector elector(std::move(config));
  elector.Start();
  started.wait();
  elector.Stop();  // returns although the work does not
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_EQ(lock->stored()->record.holder_identity, "a");
  release.count_down();
}

TEST(LeaderElectorThreads, AfterALossRunReturnsWithoutTheWorkOnceTheDrainTimeoutIsOver) {
  const auto lock = std::make_shared<FakeLock>();
  std::latch started(1);
  std::latch release(1);
  auto config = On(lock, "a");
  config.drain_timeout = 50ms;
  config.callbacks.on_started_leading = [&](const Term&) {
    started.count_down();
    release.wait();
  };
  LeaderElector elector(std::move(config));
  std::thread rival([&] {
    started.wait();
    lock->Put({.holder_identity = "b", .lease_duration = 15s});
  });
  elector.Run({});
  rival.join();
  EXPECT_FALSE(elector.IsLeader());
  release.count_down();
}

TEST(LeaderElectorThreads, DestroyedWhileLeadingItAsksTheWorkToStopAndWaitsForIt) {
  const auto lock = std::make_shared<FakeLock>();
  Notes notes;
  std::latch started(1);
  {
    auto config = On(lock, "a");
    config.callbacks.on_started_leading = [&](const Term& term) {
      started.count_down();
      WaitForStop(term.stop_token());
      notes.Add(term.IsValid() ? "valid" : "work ends in a sealed term");
    };
    config.callbacks.on_stopped_leading = [&] { notes.Add("stopped"); };
    LeaderElector elector(std::move(config));
    elector.Start();
    started.wait();
  }
  EXPECT_THAT(notes.Get(), ::testing::UnorderedElementsAre("work ends in a sealed term", "stopped"));
  EXPECT_EQ(lock->stored()->record.holder_identity, "a");
}

TEST(LeaderElectorThreads, AnswersAfterTheElectorIsGoneDoNoHarm) {
  const auto lock = std::make_shared<FakeLock>();
  lock->Hold();
  {
    LeaderElector elector(On(lock, "a"));
    elector.Start();
    while (lock->held() == 0) std::this_thread::yield();
  }
  lock->Resume();
  EXPECT_FALSE(lock->stored());
}

TEST(LeaderElectorThreadsDeathTest, DestroyingAnElectorInsideItsCallbackNamesTheMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::unique_ptr<LeaderElector> elector;
        auto config = On(std::make_shared<MemoryLock>(), "a");
        config.callbacks.on_started_leading = [&](const Term&) { elector.reset(); };
        elector = std::make_unique<LeaderElector>(std::move(config));
        elector->Start();
        std::latch(1).wait();
      },
      "a LeaderElector was destroyed inside one of its own callbacks");
}

TEST(LeaderElectorThreadsDeathTest, AnOverrunEndsTheProcessIfAskedTo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto lock = std::make_shared<FakeLock>();
        auto config = On(lock, "a");
        config.lease_duration = 120ms;
        config.renew_deadline = 80ms;
        config.retry_period = 20ms;
        config.overrun = LeaderElectionConfig::Overrun::kTerminate;
        config.callbacks.on_started_leading = [&](const Term&) {
          lock->Put({.holder_identity = "b", .lease_duration = 15s});
          std::latch(1).wait();
        };
        LeaderElector elector(std::move(config));
        elector.Run({});
      },
      ::testing::ExitedWithCode(EXIT_FAILURE), "the work of a term that is over still runs");
}

// client-go's TestCheckMethodRace, for the thread sanitizer: everything is asked while everything happens.
TEST(LeaderElectorThreads, EverythingMayBeAskedWhileTheElectionGoesOn) {
  const auto lock = std::make_shared<MemoryLock>();
  const auto make = [&](const std::string& identity) {
    auto config = On(lock, identity);
    config.lease_duration = 40ms;
    config.renew_deadline = 20ms;
    config.retry_period = 5ms;
    config.release_on_cancel = true;
    return config;
  };
  LeaderElector a(make("a"));
  LeaderElector b(make("b"));
  std::atomic<bool> done = false;
  std::thread asker([&] {
    while (!done) {
      for (LeaderElector* elector : {&a, &b}) {
        (void)elector->Check(1s);
        (void)elector->IsLeader();
        (void)elector->GetLeader();
        (void)elector->GetHealth();
        (void)elector->CurrentTerm();
        elector->StepDown();
        elector->SetMetadata({{"k", "v"}});
      }
    }
  });
  for (int round = 0; round < 20; ++round) {
    a.Start();
    b.Start();
    a.Stop();
    b.Stop();
  }
  done = true;
  asker.join();
  EXPECT_FALSE(a.IsLeader() || b.IsLeader());
}

}  // namespace
}  // namespace leaderelection::testing

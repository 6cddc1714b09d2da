// What one process can do to the others: race them, die at any instruction, be stopped while it has its turn.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "file/interruption.h"
#include "file/other_process.h"
#include "file/record_file.h"
#include "file/records.h"
#include "file/temporary_folder.h"
#include "file/traced_process.h"
#include "leaderelection/file_lock.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::Eq;
using testing::FailedWith;
using testing::HeldBy;
using testing::LockClient;
using testing::OtherProcess;
using testing::Succeeded;
using testing::TemporaryFolder;
using testing::TracedProcess;
using testing::WatchLog;

constexpr auto kPatience = 30s;
constexpr auto kSoon = 100ms;

class ProcessesTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "leader";
  const LockClient client_{std::make_shared<FileLock>(path_), kPatience};
};

TEST_F(ProcessesTest, RacingWithCompareAndSwapLosesNoUpdate) {
  constexpr int kProcesses = 4;
  constexpr int kTimes = 25;
  {
    std::vector<std::unique_ptr<OtherProcess>> racers;
    for (int i = 0; i < kProcesses; ++i) {
      racers.push_back(
          std::make_unique<OtherProcess>(std::vector<std::string>{"count", path_, std::to_string(kTimes)}));
    }
    for (const auto& racer : racers) EXPECT_EQ(racer->WaitForEnd(), 0);
  }
  const auto last = client_.Get();
  ASSERT_TRUE(Succeeded(last));
  EXPECT_EQ(last->record.metadata.at("count"), std::to_string(kProcesses * kTimes));
}

TEST_F(ProcessesTest, KilledBeforeAndAfterEachSystemCallOfAWriteItLeavesTheOldRecordOrTheNew) {
  std::uint64_t highest = client_.Create(HeldBy("old"))->version.order;
  bool ended = false;
  int stops = 0;
  int kept_old = 0;
  for (; !ended; ++stops) {
    SCOPED_TRACE(stops);
    TracedProcess writer({"traced-write", path_, "new"});
    if (!writer.Begin()) GTEST_SKIP() << "processes cannot be traced here";
    for (int step = 0; !ended && step < stops; ++step) ended = !writer.Step();
    if (!ended) writer.Kill();

    const auto left = client_.Get();
    ASSERT_TRUE(Succeeded(left));
    ASSERT_THAT(left->record.holder_identity, AnyOf(Eq("old"), Eq("new")));
    ASSERT_GE(left->version.order, highest);
    if (left->record.holder_identity == "old") {
      ASSERT_EQ(left->version.order, highest);
      ++kept_old;
    }
    // The turn has ended with the process, and what it left behind is in nobody's way.
    const auto next = client_.Update(HeldBy("old"), left->version);
    ASSERT_TRUE(Succeeded(next));
    ASSERT_GT(next->version.order, left->version.order);
    highest = next->version.order;
  }
  EXPECT_GT(kept_old, 10);
  EXPECT_GT(stops - kept_old, 3);
}

// The calls that make a write last and their order, up to the answer.
TEST_F(ProcessesTest, AWriteIsOnTheDiskFirstTheContentThenTheNameBeforeItIsAnswered) {
  ASSERT_TRUE(Succeeded(client_.Create(HeldBy("old"))));
  TracedProcess writer({"traced-write", path_, "new"});
  if (!writer.Begin()) GTEST_SKIP() << "processes cannot be traced here";
  std::vector<std::string> calls;
  const auto note = [&calls](const char* call) {
    if (calls.empty() || calls.back() != call) calls.push_back(call);  // content may be written in pieces
  };
  while (writer.Step()) {
    const auto call = writer.AboutToCall();
    if (!call) continue;
    if (call->number == SYS_flock) note("flock");
    if (call->number == SYS_write) note(call->first_argument == STDOUT_FILENO ? "answer" : "write");
    if (call->number == SYS_fdatasync) note("sync the content");
    if (call->number == SYS_renameat || call->number == SYS_renameat2) note("rename");
    if (call->number == SYS_fsync) note("sync the folder");
  }
  EXPECT_THAT(calls, ElementsAre("flock", "write", "sync the content", "rename", "sync the folder", "flock", "answer"));
}

TEST_F(ProcessesTest, KilledAtRandomMomentsItNeverLeavesACorruptRecordNorALowerNumber) {
  constexpr int kKills = 200;
  std::mt19937 random(20240515);
  std::uniform_int_distribution<int> microseconds(0, 2'000);
  const Interruption never;
  WatchLog log(kPatience);
  ASSERT_TRUE(Succeeded(client_.Create(HeldBy("first"))));
  const auto watch = client_.lock().Observe(log.Recorder());
  std::uint64_t highest = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    OtherProcess writer({"write-on", path_, "candidate-" + std::to_string(kill)});
    ASSERT_TRUE(writer.ReadLine());
    (void)never.WaitFor(std::chrono::microseconds(microseconds(random)));
    writer.Kill();
    const auto left = client_.Get();
    ASSERT_TRUE(Succeeded(left));
    ASSERT_GT(left->version.order, highest);
    highest = left->version.order;
  }
  EXPECT_TRUE(log.WaitForWrite(highest));
  EXPECT_TRUE(log.OrdersNeverFall());
  for (const WatchEvent& event : log.events()) {
    EXPECT_THAT(event.kind, AnyOf(WatchEvent::Kind::kLive, WatchEvent::Kind::kChanged)) << event.error.message;
  }
}

class StoppedInItsTurnTest : public ProcessesTest {
 protected:
  void SetUp() override {
    const auto created = client_.Create(HeldBy("a"));
    ASSERT_TRUE(Succeeded(created));
    version_ = created->version;
  }

  Version version_;
};

TEST_F(StoppedInItsTurnTest, ItStallsWritesUntilTheirDeadlineAndNoReads) {
  OtherProcess stopped({"stop-and-write", path_, "b", "60000"});
  ASSERT_TRUE(stopped.WaitForStop());
  const auto deadline = BootClock::now() + kSoon;
  EXPECT_TRUE(FailedWith(client_.Update(deadline, HeldBy("c"), version_), {ErrorCode::kTimeout}));
  EXPECT_GE(BootClock::now(), deadline);
  const auto read = client_.Get();
  ASSERT_TRUE(Succeeded(read));
  EXPECT_EQ(read->record, HeldBy("a"));
  EXPECT_EQ(read->version.order, version_.order);
}

TEST_F(StoppedInItsTurnTest, ItGoesOnAndSoDoTheOthers) {
  OtherProcess stopped({"stop-and-write", path_, "b", "60000"});
  ASSERT_TRUE(stopped.WaitForStop());
  EXPECT_TRUE(FailedWith(client_.Update(BootClock::now() + kSoon, HeldBy("c"), version_), {ErrorCode::kTimeout}));
  stopped.Send(SIGCONT);
  EXPECT_EQ(stopped.WaitForEnd(), 0);
  EXPECT_TRUE(FailedWith(client_.Update(HeldBy("c"), version_), {ErrorCode::kConflict}));
  const auto read = client_.Get();
  ASSERT_TRUE(Succeeded(read));
  EXPECT_EQ(read->record.holder_identity, "b");
  EXPECT_EQ(stopped.ReadLine(), std::to_string(read->version.order));
  EXPECT_TRUE(Succeeded(client_.Update(HeldBy("c"), read->version)));
}

TEST_F(StoppedInItsTurnTest, AWriteThatWaitsGetsItsTurnWhenItGoesOn) {
  OtherProcess stopped({"stop-and-write", path_, "b", "60000"});
  ASSERT_TRUE(stopped.WaitForStop());
  testing::PendingAnswer waiting;
  client_.lock().Update(client_.Deadline(), HeldBy("c"), version_, waiting.MakeDone());
  stopped.Send(SIGCONT);
  EXPECT_TRUE(FailedWith(waiting.Wait(kPatience), {ErrorCode::kConflict}));
}

TEST_F(StoppedInItsTurnTest, KilledItFreesTheTurn) {
  OtherProcess stopped({"stop-and-write", path_, "b", "60000"});
  ASSERT_TRUE(stopped.WaitForStop());
  stopped.Kill();
  EXPECT_TRUE(Succeeded(client_.Update(HeldBy("c"), version_)));
}

TEST_F(StoppedInItsTurnTest, PastItsDeadlineItWritesNothing) {
  OtherProcess stopped({"stop-and-write", path_, "b", "100"});
  ASSERT_TRUE(stopped.WaitForStop());
  EXPECT_TRUE(FailedWith(client_.Update(BootClock::now() + 2 * kSoon, HeldBy("c"), version_), {ErrorCode::kTimeout}));
  stopped.Send(SIGCONT);
  EXPECT_EQ(stopped.ReadLine(), "timeout");
  EXPECT_TRUE(Succeeded(client_.Update(HeldBy("c"), version_)));
}

// Who removes the lock file breaks the rules; what was written since must not be undone all the same.
TEST_F(StoppedInItsTurnTest, ItWritesNothingIfTheLockFileWasRemovedMeanwhile) {
  OtherProcess stopped({"stop-and-write", path_, "b", "60000"});
  ASSERT_TRUE(stopped.WaitForStop());
  std::filesystem::remove(folder_ / "leader.lock");
  const auto written = client_.Update(HeldBy("c"), version_);
  ASSERT_TRUE(Succeeded(written));
  stopped.Send(SIGCONT);
  EXPECT_EQ(stopped.ReadLine(), "unknown");
  EXPECT_TRUE(testing::contract::IsStored(client_, *written));
}

TEST_F(StoppedInItsTurnTest, TheDestructorOfALockDoesNotWaitForIt) {
  OtherProcess stopped({"stop-and-write", path_, "b", "60000"});
  ASSERT_TRUE(stopped.WaitForStop());
  auto lock = std::make_unique<FileLock>(path_);
  testing::PendingAnswer waiting;
  lock->Update(client_.Deadline(), HeldBy("c"), version_, waiting.MakeDone());
  (void)Interruption().WaitFor(kSoon);  // time to begin; one that has not is dropped, which proves less
  lock.reset();
  EXPECT_TRUE(FailedWith(waiting.Wait(kPatience), {ErrorCode::kUnknown}));
}

}  // namespace
}  // namespace leaderelection

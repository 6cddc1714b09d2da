#include "file/file_watches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "file/other_process.h"
#include "file/records.h"
#include "file/temporary_folder.h"
#include "leaderelection/file_lock.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using testing::FirstLineOf;
using testing::HeldBy;
using testing::Succeeded;
using testing::TemporaryFolder;
using testing::WatchLog;
using testing::WriteText;
using Kind = WatchEvent::Kind;

constexpr auto kPatience = 30s;

class FileWatchesTest : public ::testing::Test {
 protected:
  FileWatchesTest() { std::filesystem::create_directory(folder_); }

  std::unique_ptr<Watch> ObserveAndWaitForLive(WatchLog& log) {
    auto watch = lock_->Observe(log.Recorder());
    EXPECT_TRUE(log.WaitForKind(Kind::kLive));
    return watch;
  }
  // Writes down what comes after the first loss apart from what came before it.
  std::unique_ptr<Watch> ObserveAcrossALoss(WatchLog& before, WatchLog& after) {
    return lock_->Observe(before.Recorder([record = after.Recorder(), lost = false](const WatchEvent& event) mutable {
      if (lost) record(event);
      lost = lost || event.kind == Kind::kLost;
    }));
  }
  Stored WriteBy(const std::string& holder) {
    RecordFile file(path_);
    const auto current = file.Read();
    return current ? file.Update(kNever, HeldBy(holder), current->version).value()
                   : file.Create(kNever, HeldBy(holder)).value();
  }

  const TemporaryFolder outer_;
  const std::filesystem::path folder_ = outer_ / "folder";
  const std::filesystem::path path_ = folder_ / "leader";
  std::unique_ptr<FileLock> lock_ = std::make_unique<FileLock>(path_);
};

TEST_F(FileWatchesTest, AChangeByAnotherProcessIsTold) {
  WatchLog log(kPatience);
  const auto watch = ObserveAndWaitForLive(log);
  const std::string order = FirstLineOf({"write", path_, "b"});
  const auto told = log.WaitForWrite(std::stoull(order));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->stored.record.holder_identity, "b");
}

TEST_F(FileWatchesTest, ADeletionIsTold) {
  const auto stored = WriteBy("a");
  WatchLog log(kPatience);
  const auto watch = ObserveAndWaitForLive(log);
  std::filesystem::remove(path_);
  EXPECT_TRUE(log.WaitForKind(Kind::kDeleted));
}

TEST_F(FileWatchesTest, ARecordMovedAwayIsTold) {
  WriteBy("a");
  WatchLog log(kPatience);
  const auto watch = ObserveAndWaitForLive(log);
  std::filesystem::rename(path_, folder_ / "elsewhere");
  EXPECT_TRUE(log.WaitForKind(Kind::kDeleted));
}

// Each copy of the same bytes makes the kernel tell of the file.
TEST_F(FileWatchesTest, WhatIsFoundAgainUnchangedIsNotToldAgain) {
  WatchLog log(kPatience);
  const auto watch = ObserveAndWaitForLive(log);
  const auto first = WriteBy("a");
  ASSERT_TRUE(log.WaitForWrite(first.version.order));
  for (int i = 0; i < 3; ++i) {
    std::filesystem::copy_file(path_, folder_ / "copy");
    std::filesystem::rename(folder_ / "copy", path_);
  }
  const auto second = WriteBy("b");
  ASSERT_TRUE(log.WaitForWrite(second.version.order));
  EXPECT_EQ(log.events().size(), 3u);  // live, a, b
}

TEST_F(FileWatchesTest, AFolderThatIsRemovedAndMadeAgainIsWatchedAgain) {
  WatchLog before(kPatience);
  WatchLog after(kPatience);
  const auto watch = ObserveAcrossALoss(before, after);
  ASSERT_TRUE(before.WaitForKind(Kind::kLive));
  std::filesystem::remove_all(folder_);
  ASSERT_TRUE(before.WaitForKind(Kind::kLost));
  std::filesystem::create_directory(folder_);
  ASSERT_TRUE(after.WaitForKind(Kind::kLive));
  EXPECT_EQ(after.events().front().kind, Kind::kLive);  // the loss was told once
  const auto stored = WriteBy("a");
  EXPECT_TRUE(after.WaitForWrite(stored.version.order));
}

TEST_F(FileWatchesTest, AFolderThatIsReplacedByAnotherIsWatchedAgain) {
  WatchLog before(kPatience);
  WatchLog after(kPatience);
  const auto watch = ObserveAcrossALoss(before, after);
  ASSERT_TRUE(before.WaitForKind(Kind::kLive));
  std::filesystem::rename(folder_, outer_ / "moved");
  std::filesystem::create_directory(folder_);
  ASSERT_TRUE(before.WaitForKind(Kind::kLost));
  ASSERT_TRUE(after.WaitForKind(Kind::kLive));
  const auto stored = WriteBy("a");
  EXPECT_TRUE(after.WaitForWrite(stored.version.order));
}

TEST_F(FileWatchesTest, AFolderThatIsMissingAtFirstIsWaitedFor) {
  std::filesystem::remove(folder_);
  WatchLog before(kPatience);
  WatchLog after(kPatience);
  const auto watch = ObserveAcrossALoss(before, after);
  ASSERT_TRUE(before.WaitForKind(Kind::kLost));
  EXPECT_EQ(before.events().front().kind, Kind::kLost);
  std::filesystem::create_directory(folder_);
  EXPECT_TRUE(after.WaitForKind(Kind::kLive));
}

// It can be told neither as a record nor as its absence; who reads after kLive finds out.
TEST_F(FileWatchesTest, ACorruptFileLosesTheWatchAndMakesItAnew) {
  WatchLog before(kPatience);
  WatchLog after(kPatience);
  const auto watch = ObserveAcrossALoss(before, after);
  ASSERT_TRUE(before.WaitForKind(Kind::kLive));
  WriteText(path_, "no record");
  const auto lost = before.WaitForKind(Kind::kLost);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->error.code, ErrorCode::kCorrupt);
  ASSERT_TRUE(after.WaitForKind(Kind::kLive));
  std::filesystem::remove(path_);
  const auto stored = WriteBy("a");
  EXPECT_TRUE(after.WaitForWrite(stored.version.order));
}

// While the callback is held up others fill the kernel's queue; the change comes when there is no room for it.
TEST_F(FileWatchesTest, AChangeThatTheKernelHadNoRoomForIsToldAllTheSame) {
  std::size_t room = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> room;
  if (room == 0 || room > 100'000) GTEST_SKIP() << "the queue has room for " << room << " events: too long to fill";
  WatchLog log(kPatience);
  std::latch go_on(1);
  const auto watch = lock_->Observe(log.Recorder([&](const WatchEvent& event) {
    if (event.kind == Kind::kLive) go_on.wait();
  }));
  ASSERT_TRUE(log.WaitForKind(Kind::kLive));
  WriteText(folder_ / "0", "");
  for (std::size_t i = 0; i < room / 2 + 2; ++i) {
    std::filesystem::rename(folder_ / std::to_string(i), folder_ / std::to_string(i + 1));
  }
  const auto stored = WriteBy("a");
  go_on.count_down();
  EXPECT_TRUE(log.WaitForWrite(stored.version.order));
}

TEST_F(FileWatchesTest, MayBeDestroyedInsideItsOwnCallback) {
  WatchLog log(kPatience);
  WatchLog other_log(kPatience);
  std::unique_ptr<Watch> watch;
  std::latch assigned(1);
  std::latch destroyed(1);
  auto captured = std::make_shared<int>();
  watch = lock_->Observe(log.Recorder([&, captured](const WatchEvent&) {
    assigned.wait();
    watch.reset();
    destroyed.count_down();
  }));
  assigned.count_down();
  destroyed.wait();
  const auto other = ObserveAndWaitForLive(other_log);
  const auto stored = WriteBy("a");
  ASSERT_TRUE(other_log.WaitForWrite(stored.version.order));
  EXPECT_EQ(log.events().size(), 1u);
  EXPECT_EQ(captured.use_count(), 1);
}

TEST_F(FileWatchesTest, DestroyingItWaitsForItsRunningCallback) {
  std::latch inside(1);
  std::latch about_to_destroy(1);
  std::atomic<bool> returned = false;
  auto watch = lock_->Observe([&](const WatchEvent&) {
    inside.count_down();
    about_to_destroy.wait();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    returned = true;
  });
  inside.wait();
  about_to_destroy.count_down();
  watch.reset();
  EXPECT_TRUE(returned);
}

TEST_F(FileWatchesTest, AnotherMayBeginInsideACallback) {
  WatchLog inner(kPatience);
  std::unique_ptr<Watch> second;
  auto first = lock_->Observe([&](const WatchEvent&) {
    if (!second) second = lock_->Observe(inner.Recorder());
  });
  EXPECT_TRUE(inner.WaitForKind(Kind::kLive));
  first.reset();
}

TEST_F(FileWatchesTest, ANewcomerIsLiveToo) {
  WatchLog first_log(kPatience);
  WatchLog second_log(kPatience);
  const auto first = ObserveAndWaitForLive(first_log);
  const auto second = ObserveAndWaitForLive(second_log);
  const auto stored = WriteBy("a");
  EXPECT_TRUE(first_log.WaitForWrite(stored.version.order));
  EXPECT_TRUE(second_log.WaitForWrite(stored.version.order));
  EXPECT_EQ(first_log.events().size(), 2u);
  EXPECT_EQ(second_log.events().size(), 2u);
}

TEST_F(FileWatchesTest, WhoComesAfterAllHaveGoneIsServed) {
  for (const char* holder : {"a", "b", "c"}) {
    WatchLog log(kPatience);
    const auto watch = ObserveAndWaitForLive(log);
    const auto stored = WriteBy(holder);
    EXPECT_TRUE(log.WaitForWrite(stored.version.order));
  }
}

TEST_F(FileWatchesTest, AWatchMayOutliveItsLock) {
  WatchLog log(kPatience);
  auto watch = ObserveAndWaitForLive(log);
  lock_.reset();
  WriteBy("a");
  EXPECT_EQ(log.events().size(), 1u);
  watch.reset();
}

std::size_t ThreadsNamed(const std::string& wanted) {
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name == wanted) ++count;
  }
  return count;
}

std::size_t InotifyInstances() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) == "anon_inode:inotify") ++count;
  }
  return count;
}

TEST_F(FileWatchesTest, OneThreadAndOneInotifyInstanceServeAllWatchesOfALock) {
  EXPECT_EQ(ThreadsNamed("le-file-watch"), 0u);
  std::vector<WatchLog> logs(10, WatchLog(kPatience));
  std::vector<std::unique_ptr<Watch>> watches;
  for (WatchLog& log : logs) watches.push_back(ObserveAndWaitForLive(log));
  EXPECT_EQ(ThreadsNamed("le-file-watch"), 1u);
  EXPECT_EQ(InotifyInstances(), 1u);
  lock_.reset();
  EXPECT_EQ(InotifyInstances(), 0u);
}

TEST_F(FileWatchesTest, NoDescriptorOfAWatchPassesToProgramsThatTheProcessStarts) {
  const auto before = FirstLineOf({"descriptors"});
  WatchLog log(kPatience);
  const auto watch = ObserveAndWaitForLive(log);
  EXPECT_EQ(FirstLineOf({"descriptors"}), before);
}

TEST_F(FileWatchesTest, WatchesThatComeAndGoWhileARecordChangesAreToldInOrder) {
  WriteBy("a");
  std::atomic<int> fell = 0;
  std::vector<std::jthread> observers;
  for (int i = 0; i < 3; ++i) {
    observers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        WatchLog log(kPatience);
        const auto watch = lock_->Observe(log.Recorder());
        if (!log.WaitForKind(Kind::kLive) || !log.OrdersNeverFall()) ++fell;
      }
    });
  }
  for (int i = 0; i < 50; ++i) WriteBy("a");
  observers.clear();
  EXPECT_EQ(fell, 0);
}

using FileLockDeathTest = FileWatchesTest;

TEST_F(FileLockDeathTest, DestroyingTheLockInsideAWatchCallbackTerminatesAndNamesTheMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::latch never(1);
        const auto watch = lock_->Observe([this](const WatchEvent&) {
          std::filesystem::remove_all(outer_.path());  // the child dies without cleaning up
          lock_.reset();
        });
        never.wait();
      },
      "a FileLock was destroyed inside the callback of one of its watches");
}

}  // namespace
}  // namespace leaderelection

#include "file/turn.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <latch>
#include <optional>
#include <thread>
#include <utility>

#include "file/temporary_folder.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using testing::TemporaryFolder;

class TurnTest : public ::testing::Test {
 protected:
  Result<Turn> Take(MonotonicTime deadline = MonotonicTime()) {
    return Turn::Take(opened_, "leader.lock", deadline, interruption_);
  }
  static ErrorCode CodeOf(const Result<Turn>& turn) { return turn.error().code; }

  TemporaryFolder folder_;
  Folder opened_ = Folder::Open(folder_.path(), FileSystemType).value();
  Interruption interruption_;
};

TEST_F(TurnTest, IsThereAtOnceIfNobodyHasItEvenPastTheDeadline) { EXPECT_TRUE(Take().ok()); }

TEST_F(TurnTest, OnlyOneHasIt) {
  const auto first = Take();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(CodeOf(Take()), ErrorCode::kTimeout);
}

TEST_F(TurnTest, IsTriedUntilTheDeadlineAndNotBeyond) {
  const auto first = Take();
  const MonotonicTime deadline = BootClock::now() + 50ms;
  EXPECT_EQ(CodeOf(Take(deadline)), ErrorCode::kTimeout);
  EXPECT_GE(BootClock::now(), deadline);
}

TEST_F(TurnTest, PassesOnWhenItEnds) {
  auto first = std::make_optional(Take());
  std::latch trying(1);
  std::optional<bool> got;
  std::thread second([&] {
    trying.count_down();
    got = Take(BootClock::now() + 30s).ok();
  });
  trying.wait();
  first.reset();
  second.join();
  EXPECT_EQ(got, true);
}

TEST_F(TurnTest, AnInterruptionEndsTheWait) {
  const auto first = Take();
  interruption_.Raise();
  EXPECT_EQ(CodeOf(Take(kNever)), ErrorCode::kUnknown);
}

TEST_F(TurnTest, ItsFileIsNeitherRenamedNorRemoved) {
  const auto inode_after_a_turn = [this] {
    EXPECT_TRUE(Take().ok());
    struct stat about {};
    EXPECT_EQ(::stat((folder_ / "leader.lock").c_str(), &about), 0);
    return about.st_ino;
  };
  const auto first = inode_after_a_turn();
  EXPECT_EQ(inode_after_a_turn(), first);
}

TEST_F(TurnTest, IsNotAloneOnceItsFileIsRemoved) {
  const auto first = Take();
  EXPECT_TRUE(first->IsAlone(opened_));
  std::filesystem::remove(folder_ / "leader.lock");
  EXPECT_FALSE(first->IsAlone(opened_));
  const auto second = Take();
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(first->IsAlone(opened_));
  EXPECT_TRUE(second->IsAlone(opened_));
}

// A child that has not yet become another program shares the open file, and with it the flock.
TEST_F(TurnTest, EndsAlsoIfAChildStillHasItsDescriptor) {
  auto first = std::make_optional(Take());
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  first.reset();
  EXPECT_TRUE(Take().ok());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(TurnTest, ASymbolicLinkIsNotFollowed) {
  std::filesystem::create_symlink("elsewhere", folder_ / "leader.lock");
  EXPECT_EQ(CodeOf(Take()), ErrorCode::kInvalid);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
}

TEST_F(TurnTest, AFolderThatWasRemovedIsInvalid) {
  std::filesystem::remove_all(folder_.path());
  EXPECT_EQ(CodeOf(Take()), ErrorCode::kInvalid);
}

}  // namespace
}  // namespace leaderelection

#include "file/record_file.h"

#include <gtest/gtest.h>
#include <linux/magic.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>

#include "file/other_process.h"
#include "file/records.h"
#include "file/temporary_folder.h"
#include "file/turn.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using testing::FailedWith;
using testing::HeldBy;
using testing::ReadText;
using testing::Succeeded;
using testing::TemporaryFolder;
using testing::WriteText;

class RecordFileTest : public ::testing::Test {
 protected:
  // Another candidate, with a memory of his own.
  RecordFile Candidate() {
    return RecordFile(path_, {.wall_now = [this] { return wall_time_; }});
  }

  std::uint64_t CreateBy(RecordFile& candidate) { return candidate.Create(kNever, HeldBy("a"))->version.order; }
  std::uint64_t Microseconds() const { return static_cast<std::uint64_t>(wall_time_.time_since_epoch().count()); }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "leader";
  WallTime wall_time_ = MachineWallTime();
};

TEST_F(RecordFileTest, APathWithoutAFileNameIsRefused) {
  for (const char* path : {"", "/", "folder/", ".", "..", "folder/.", "folder/.."}) {
    EXPECT_THROW(RecordFile{path}, std::invalid_argument) << path;
  }
}

// The system would read it up to there: the lock file and the draft would be the record itself.
TEST_F(RecordFileTest, APathWithAZeroByteIsRefused) {
  EXPECT_THROW(RecordFile(folder_.path() / std::string("a\0b", 3)), std::invalid_argument);
}

TEST_F(RecordFileTest, AChangeOfTheWorkingDirectoryDoesNotMoveTheElection) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  RecordFile file("leader");
  std::filesystem::current_path(before);
  EXPECT_EQ(file.path(), path_);
  ASSERT_TRUE(Succeeded(file.Create(kNever, HeldBy("a"))));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(RecordFileTest, TheRecordIsALineOfJson) {
  RecordFile file = Candidate();
  ASSERT_TRUE(Succeeded(file.Create(kNever, HeldBy("a"))));
  const std::string text = ReadText(path_);
  EXPECT_TRUE(text.starts_with(R"({"format":"leaderelection/v1",)")) << text;
  EXPECT_TRUE(text.ends_with("}\n")) << text;
}

TEST_F(RecordFileTest, BesideTheRecordOnlyTheLockFileStays) {
  RecordFile file = Candidate();
  ASSERT_TRUE(Succeeded(file.Create(kNever, HeldBy("a"))));
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"leader", "leader.lock"}));
}

TEST_F(RecordFileTest, AReadNeitherTakesATurnNorLeavesATrace) {
  RecordFile file = Candidate();
  EXPECT_TRUE(FailedWith(file.Read(), {ErrorCode::kNotFound}));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RecordFileTest, AReadDoesNotWaitForWhoHasTheTurn) {
  RecordFile file = Candidate();
  ASSERT_TRUE(Succeeded(file.Create(kNever, HeldBy("a"))));
  const Interruption none;
  const auto folder = Folder::Open(folder_.path(), FileSystemType);
  const auto turn = Turn::Take(*folder, "leader.lock", MonotonicTime(), none);
  ASSERT_TRUE(turn.ok());
  EXPECT_TRUE(Succeeded(file.Read()));
}

TEST_F(RecordFileTest, AWriteWaitsForItsTurnUntilTheDeadlineAndChangesNothing) {
  RecordFile file = Candidate();
  const auto created = file.Create(kNever, HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  const Interruption none;
  const auto folder = Folder::Open(folder_.path(), FileSystemType);
  const auto turn = Turn::Take(*folder, "leader.lock", MonotonicTime(), none);
  const MonotonicTime deadline = BootClock::now() + 50ms;
  EXPECT_TRUE(FailedWith(file.Update(deadline, HeldBy("b"), created->version), {ErrorCode::kTimeout}));
  EXPECT_GE(BootClock::now(), deadline);
  EXPECT_EQ(file.Read()->record, HeldBy("a"));
}

TEST_F(RecordFileTest, PastTheDeadlineNothingIsWritten) {
  RecordFile file = Candidate();
  EXPECT_TRUE(FailedWith(file.Create(BootClock::now(), HeldBy("a")), {ErrorCode::kTimeout}));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(RecordFileTest, AnInterruptionEndsWaitsForATurnNowAndFromNowOn) {
  RecordFile file = Candidate();
  const Interruption none;
  const auto folder = Folder::Open(folder_.path(), FileSystemType);
  const auto turn = Turn::Take(*folder, "leader.lock", MonotonicTime(), none);
  file.Interrupt();
  EXPECT_TRUE(FailedWith(file.Create(kNever, HeldBy("a")), {ErrorCode::kUnknown}));
  EXPECT_TRUE(FailedWith(file.Create(kNever, HeldBy("a")), {ErrorCode::kUnknown}));
}

TEST_F(RecordFileTest, TheNumberIsAtLeastTheWallClocksMicroseconds) {
  RecordFile file = Candidate();
  EXPECT_EQ(CreateBy(file), Microseconds());
  wall_time_ += 1h;
  EXPECT_EQ(file.Update(kNever, HeldBy("a", 1), file.Read()->version)->version.order, Microseconds());
}

TEST_F(RecordFileTest, TheNumberRisesByOneWhenTheClockStandsStill) {
  RecordFile file = Candidate();
  const auto first = CreateBy(file);
  EXPECT_EQ(file.Update(kNever, HeldBy("a", 1), file.Read()->version)->version.order, first + 1);
}

TEST_F(RecordFileTest, TheNumberRisesWhenTheClockIsSetBack) {
  RecordFile a = Candidate();
  const auto first = CreateBy(a);
  wall_time_ -= 24h;
  RecordFile b = Candidate();
  EXPECT_EQ(b.Update(kNever, HeldBy("b"), b.Read()->version)->version.order, first + 1);
}

TEST_F(RecordFileTest, TheNumberRisesWhenTheFileIsDeleted) {
  RecordFile a = Candidate();
  const auto first = CreateBy(a);
  std::filesystem::remove(path_);
  wall_time_ += 2us;  // what passes at the very least
  RecordFile newcomer = Candidate();
  EXPECT_GT(CreateBy(newcomer), first + 1);
}

TEST_F(RecordFileTest, TheNumberRisesAcrossDeletionAndAClockSetBackForWhoSawIt) {
  RecordFile a = Candidate();
  const auto first = CreateBy(a);
  RecordFile reader = Candidate();
  ASSERT_TRUE(Succeeded(reader.Read()));
  std::filesystem::remove(path_);
  wall_time_ -= 24h;
  EXPECT_GT(CreateBy(reader), first + 1);  // the deletion itself may have been told with first + 1
}

TEST_F(RecordFileTest, AClockBefore1970GivesANumberAllTheSame) {
  wall_time_ = WallTime(-1h);
  RecordFile file = Candidate();
  EXPECT_GT(CreateBy(file), 0u);
}

TEST_F(RecordFileTest, TheHighestNumberSeenNeverFalls) {
  RecordFile file = Candidate();
  const auto first = CreateBy(file);
  EXPECT_EQ(file.highest_seen(), first);
  std::filesystem::remove(path_);
  EXPECT_TRUE(FailedWith(file.Read(), {ErrorCode::kNotFound}));
  EXPECT_EQ(file.highest_seen(), first);
}

TEST_F(RecordFileTest, ARecordThatCannotBeReadAgainIsNotWritten) {
  RecordFile file = Candidate();
  Record record = HeldBy("a");
  record.metadata["large"] = std::string(70'000, 'x');
  EXPECT_TRUE(FailedWith(file.Create(kNever, record), {ErrorCode::kInvalid}));
  record = HeldBy("not UTF-8: \xff");
  EXPECT_TRUE(FailedWith(file.Create(kNever, record), {ErrorCode::kInvalid}));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(RecordFileTest, ASharedFileSystemIsRefusedForReadsAndWrites) {
  RecordFile file(path_, {.file_system_type = [](int) { return NFS_SUPER_MAGIC; }});
  EXPECT_TRUE(FailedWith(file.Read(), {ErrorCode::kInvalid}));
  EXPECT_TRUE(FailedWith(file.Create(kNever, HeldBy("a")), {ErrorCode::kInvalid}));
  EXPECT_TRUE(FailedWith(file.Update(kNever, HeldBy("a"), {.order = 1}), {ErrorCode::kInvalid}));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

// It is started by who has the turn, when the folder and the lock file are open.
TEST_F(RecordFileTest, NoDescriptorPassesToProgramsThatTheProcessStarts) {
  std::string inherited;
  RecordFile file(path_, {.wall_now = [&] {
                    inherited = testing::FirstLineOf({"descriptors"});
                    return MachineWallTime();
                  }});
  const auto before = testing::FirstLineOf({"descriptors"});
  ASSERT_TRUE(Succeeded(file.Create(kNever, HeldBy("a"))));
  EXPECT_EQ(inherited, before);
}

}  // namespace
}  // namespace leaderelection

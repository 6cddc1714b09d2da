#include "file/folder_events.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "file/temporary_folder.h"

namespace leaderelection {
namespace {

using testing::ReadText;
using testing::TemporaryFolder;
using testing::WriteText;

// Something else happens in the folder last, so that there is always something to wait for.
class FolderEventsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(events_.Open(folder_.path())); }

  FolderEvents::News Wait() { return events_.Wait("leader", interruption_).value(); }

  FolderEvents::News NewsOfEverything() {
    std::filesystem::create_directory(folder_ / "last");
    std::filesystem::rename(folder_ / "last", folder_ / "very last");
    return Wait();
  }

  TemporaryFolder folder_;
  Interruption interruption_;
  FolderEvents events_;
};

TEST_F(FolderEventsTest, AFileWrittenAndClosedIsNews) {
  WriteText(folder_ / "leader", "a");
  EXPECT_TRUE(NewsOfEverything().file);
}

TEST_F(FolderEventsTest, AFileMovedToThePlaceIsNews) {
  WriteText(folder_ / "draft", "a");
  std::filesystem::rename(folder_ / "draft", folder_ / "leader");
  EXPECT_TRUE(NewsOfEverything().file);
}

TEST_F(FolderEventsTest, AFileMovedAwayIsNews) {
  WriteText(folder_ / "leader", "a");
  (void)Wait();
  std::filesystem::rename(folder_ / "leader", folder_ / "draft");
  EXPECT_TRUE(NewsOfEverything().file);
}

TEST_F(FolderEventsTest, ADeletedFileIsNews) {
  WriteText(folder_ / "leader", "a");
  (void)Wait();
  std::filesystem::remove(folder_ / "leader");
  EXPECT_TRUE(NewsOfEverything().file);
}

TEST_F(FolderEventsTest, OtherFilesAndReadersAreNoNews) {
  WriteText(folder_ / "leader", "a");
  (void)Wait();
  WriteText(folder_ / "leader.lock", "a");
  WriteText(folder_ / "leade", "a");
  (void)ReadText(folder_ / "leader");
  const auto news = NewsOfEverything();
  EXPECT_FALSE(news.file);
  EXPECT_FALSE(news.folder_gone);
}

TEST_F(FolderEventsTest, AMovedFolderIsGone) {
  const auto elsewhere = folder_.path().string() + "-moved";
  std::filesystem::rename(folder_.path(), elsewhere);
  EXPECT_TRUE(Wait().folder_gone);
  std::filesystem::rename(elsewhere, folder_.path());
}

TEST_F(FolderEventsTest, ADeletedFolderIsGone) {
  std::filesystem::remove_all(folder_.path());
  EXPECT_TRUE(Wait().folder_gone);
}

TEST_F(FolderEventsTest, AnInterruptionEndsTheWait) {
  interruption_.Raise();
  EXPECT_FALSE(events_.Wait("leader", interruption_));
}

// The kernel drops what finds no room in its queue and says only that it has.
TEST_F(FolderEventsTest, AnOverflowIsNewsForItMayHaveSwallowedSome) {
  std::size_t room = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> room;
  if (room == 0 || room > 100'000) GTEST_SKIP() << "the queue has room for " << room << " events: too long to fill";
  WriteText(folder_ / "0", "");
  for (std::size_t i = 0; i < room / 2 + 2; ++i) {
    std::filesystem::rename(folder_ / std::to_string(i), folder_ / std::to_string(i + 1));
  }
  bool told = false;
  for (int looks = 0; !told && looks < 1000; ++looks) {
    WriteText(folder_ / "another", "");  // so that there is something to see at each look
    told = Wait().file;
  }
  EXPECT_TRUE(told);
}

TEST(FolderEvents, AMissingFolderIsRefusedByName) {
  const TemporaryFolder folder;
  FolderEvents events;
  EXPECT_FALSE(events.Open(folder / "missing"));
  EXPECT_EQ(errno, ENOENT);
}

TEST(FolderEvents, AFileIsNoFolder) {
  const TemporaryFolder folder;
  WriteText(folder / "file", "");
  FolderEvents events;
  EXPECT_FALSE(events.Open(folder / "file"));
  EXPECT_EQ(errno, ENOTDIR);
}

}  // namespace
}  // namespace leaderelection

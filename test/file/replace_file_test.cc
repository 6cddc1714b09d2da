#include "file/replace_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "file/temporary_folder.h"

namespace leaderelection {
namespace {

using testing::ReadText;
using testing::TemporaryFolder;
using testing::WriteText;

Status Yes() { return std::monostate(); }

class ReplaceFileTest : public ::testing::Test {
 protected:
  Status Replace(std::string_view content, const std::function<Status()>& may_replace = Yes) {
    return ReplaceFile(Folder::Open(folder_.path(), FileSystemType).value(), "record", "draft", content, may_replace);
  }
  std::string Content() const { return ReadText(folder_ / "record"); }
  bool DraftExists() const { return std::filesystem::exists(folder_ / "draft"); }

  TemporaryFolder folder_;
};

TEST_F(ReplaceFileTest, PutsAFileWhereThereWasNone) {
  ASSERT_TRUE(Replace("new").ok());
  EXPECT_EQ(Content(), "new");
  EXPECT_FALSE(DraftExists());
}

TEST_F(ReplaceFileTest, PutsAnotherFileInItsPlace) {
  WriteText(folder_ / "record", "the old and longer one");
  std::filesystem::create_hard_link(folder_ / "record", folder_ / "old");
  ASSERT_TRUE(Replace("new").ok());
  EXPECT_EQ(Content(), "new");
  EXPECT_EQ(ReadText(folder_ / "old"), "the old and longer one");
}

TEST_F(ReplaceFileTest, AsksWhenAllIsDoneButTheName) {
  WriteText(folder_ / "record", "old");
  std::string seen;
  const auto look = [&]() -> Status {
    seen = Content() + ", " + ReadText(folder_ / "draft");
    return std::monostate();
  };
  ASSERT_TRUE(Replace("new", look).ok());
  EXPECT_EQ(seen, "old, new");
}

TEST_F(ReplaceFileTest, ANoIsTheAnswerAndNothingWasReplaced) {
  WriteText(folder_ / "record", "old");
  const auto replaced = Replace("new", [] { return Status(ErrorCode::kTimeout, "too late"); });
  EXPECT_EQ(replaced.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(Content(), "old");
  EXPECT_FALSE(DraftExists());
}

TEST_F(ReplaceFileTest, TheLeftoverOfADeadWriterIsThrownAway) {
  WriteText(folder_ / "draft", "half of a much longer rec");
  ASSERT_TRUE(Replace("new").ok());
  EXPECT_EQ(Content(), "new");
}

TEST_F(ReplaceFileTest, ALeftoverThatIsALinkIsThrownAwayAndNotFollowed) {
  WriteText(folder_ / "precious", "untouched");
  std::filesystem::create_symlink("precious", folder_ / "draft");
  ASSERT_TRUE(Replace("new").ok());
  EXPECT_EQ(Content(), "new");
  EXPECT_EQ(ReadText(folder_ / "precious"), "untouched");
}

TEST_F(ReplaceFileTest, ADirectoryInTheDraftsPlaceIsReportedAndLeft) {
  std::filesystem::create_directory(folder_ / "draft");
  const auto replaced = Replace("new");
  ASSERT_FALSE(replaced.ok());
  EXPECT_NE(replaced.error().message.find("draft"), std::string::npos) << replaced.error().message;
  EXPECT_TRUE(DraftExists());
}

TEST_F(ReplaceFileTest, ADirectoryInTheFilesPlaceIsReportedAndLeft) {
  std::filesystem::create_directory(folder_ / "record");
  EXPECT_FALSE(Replace("new").ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "record"));
  EXPECT_FALSE(DraftExists());
}

// While it lives no file of this process may grow beyond some bytes: the write that crosses them is cut short.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t size) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = size, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_ = SIG_DFL;
};

TEST_F(ReplaceFileTest, AWriteThatIsCutShortReplacesNothing) {
  WriteText(folder_ / "record", "old");
  const auto replaced = [&] {
    const SmallFiles small(10);
    return Replace("longer than ten bytes");
  }();
  EXPECT_EQ(replaced.error().code, ErrorCode::kUnknown);
  EXPECT_EQ(Content(), "old");
  EXPECT_FALSE(DraftExists());
}

// A file system of one page.
class TinyDisk {
 public:
  explicit TinyDisk(const std::filesystem::path& path) : path_(path) {
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=4k") == 0;
  }
  ~TinyDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }

 private:
  const std::filesystem::path path_;
  bool mounted_;
};

TEST_F(ReplaceFileTest, AFullDiskIsReportedAndReplacesNothing) {
  const TinyDisk disk(folder_.path());
  if (!disk.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here: " << std::strerror(errno) << "; needs root";
  ASSERT_TRUE(Replace("old").ok());
  const auto replaced = Replace("new");
  ASSERT_FALSE(replaced.ok());
  EXPECT_EQ(replaced.error().code, ErrorCode::kUnknown);
  EXPECT_NE(replaced.error().message.find("No space left"), std::string::npos) << replaced.error().message;
  EXPECT_EQ(Content(), "old");
  EXPECT_FALSE(DraftExists());
}

}  // namespace
}  // namespace leaderelection

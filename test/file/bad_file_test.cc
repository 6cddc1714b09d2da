// What holds no record of an election is reported by name and never overwritten.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <ostream>
#include <string>

#include "file/descriptor.h"
#include "file/other_process.h"
#include "file/record_file.h"
#include "file/records.h"
#include "file/temporary_folder.h"

namespace leaderelection {
namespace {

using testing::FailedWith;
using testing::FirstLineOf;
using testing::HeldBy;
using testing::ReadText;
using testing::Succeeded;
using testing::TemporaryFolder;
using testing::WriteText;

class BadFileTest : public ::testing::Test {
 protected:
  void ExpectEverythingFailsWith(ErrorCode code, const std::filesystem::path& named, const std::string& why) {
    RecordFile file(path_);
    const auto read = file.Read();
    EXPECT_TRUE(FailedWith(read, {code}));
    if (!read) {
      EXPECT_NE(read.error().message.find(named.string()), std::string::npos) << read.error().message;
      EXPECT_NE(read.error().message.find(why), std::string::npos) << read.error().message;
    }
    EXPECT_TRUE(FailedWith(file.Create(kNever, HeldBy("a")), {code}));
    EXPECT_TRUE(FailedWith(file.Update(kNever, HeldBy("a"), {.order = 1}), {code}));
  }
  void ExpectCorrupt(const std::string& why) { ExpectEverythingFailsWith(ErrorCode::kCorrupt, path_, why); }

  const TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "leader";
};

struct BadContent {
  const char* name;
  std::string content;
  const char* why;
};

void PrintTo(const BadContent& bad, std::ostream* out) { *out << bad.name; }

class BadContentTest : public BadFileTest, public ::testing::WithParamInterface<BadContent> {};

TEST_P(BadContentTest, IsReportedByNameAndNeverOverwritten) {
  WriteText(path_, GetParam().content);
  ExpectCorrupt(GetParam().why);
  EXPECT_EQ(ReadText(path_), GetParam().content);
}

INSTANTIATE_TEST_SUITE_P(
    Contents, BadContentTest,
    ::testing::Values(BadContent{"Empty", "", "it is empty"},
                      BadContent{"Noise", "\x7f\x45\x4c\x46\x01\xff", "no JSON"},
                      BadContent{"HalfARecord", R"({"format":"leaderelection/v1","fencingNumber":17634)", "no JSON"},
                      BadContent{"ForeignJson", R"({"name":"left-pad","version":"1.3.0"})", "format is missing"},
                      BadContent{"AForeignFormat", R"({"format":"leaderelection/v2"})", "leaderelection/v2"},
                      BadContent{"AList", "[1,2,3]", "not a JSON object"},
                      BadContent{"ANumberThatIsNone", R"({"format":"leaderelection/v1","fencingNumber":-1})",
                                 "fencingNumber"},
                      BadContent{"AMegabyte", std::string(1 << 20, ' '), "larger than"}),
    [](const auto& about) { return about.param.name; });

TEST_F(BadFileTest, ADirectoryIsReportedAndLeft) {
  std::filesystem::create_directory(path_);
  ExpectCorrupt("a directory");
  EXPECT_TRUE(std::filesystem::is_directory(path_));
}

TEST_F(BadFileTest, ASymbolicLinkIsReportedAndNotFollowed) {
  RecordFile(folder_ / "elsewhere").Create(kNever, HeldBy("a")).value();
  std::filesystem::create_symlink("elsewhere", path_);
  ExpectCorrupt("a symbolic link");
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
}

TEST_F(BadFileTest, ADanglingLinkIsReportedAndNotFollowed) {
  std::filesystem::create_symlink("nowhere", path_);
  ExpectCorrupt("a symbolic link");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
}

TEST_F(BadFileTest, AFifoIsReportedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  ExpectCorrupt("not a regular file");
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
}

TEST_F(BadFileTest, ASocketIsReportedAndLeft) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ExpectCorrupt("not a regular file");
  EXPECT_TRUE(std::filesystem::is_socket(path_));
}

TEST_F(BadFileTest, AMissingFolderIsInvalidAndNoAbsentRecord) {
  path_ = folder_ / "missing/leader";
  ExpectEverythingFailsWith(ErrorCode::kInvalid, folder_ / "missing", "No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "missing"));
}

TEST_F(BadFileTest, AFileInTheFoldersPlaceIsInvalid) {
  WriteText(folder_ / "file", "");
  path_ = folder_ / "file/leader";
  ExpectEverythingFailsWith(ErrorCode::kInvalid, folder_ / "file", "Not a directory");
}

TEST_F(BadFileTest, ANameThatIsTooLongIsInvalid) {
  path_ = folder_ / std::string(300, 'n');
  ExpectEverythingFailsWith(ErrorCode::kInvalid, path_, "File name too long");
}

TEST_F(BadFileTest, AFolderThatMayNotBeWrittenIsDeniedAndMayBeRead) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  ASSERT_TRUE(Succeeded(RecordFile(path_).Create(kNever, HeldBy("a"))));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  EXPECT_EQ(FirstLineOf({"nobody", "read", path_}), "a");
  EXPECT_EQ(FirstLineOf({"nobody", "write", path_, "b"}), "denied");
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  EXPECT_EQ(RecordFile(path_).Read()->record, HeldBy("a"));
}

TEST_F(BadFileTest, AFolderThatMayNotBeReadIsDenied) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0));
  EXPECT_EQ(FirstLineOf({"nobody", "read", path_}), "denied");
  EXPECT_EQ(FirstLineOf({"nobody", "write", path_, "b"}), "denied");
  EXPECT_EQ(FirstLineOf({"nobody", "watch", path_}), "refused");
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
}

TEST_F(BadFileTest, ARecordThatMayNotBeReadIsDeniedAndNotReplaced) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0777));
  ASSERT_TRUE(Succeeded(RecordFile(path_).Create(kNever, HeldBy("a"))));
  std::filesystem::permissions(path_, std::filesystem::perms(0));
  EXPECT_EQ(FirstLineOf({"nobody", "write", path_, "b"}), "denied");
  std::filesystem::permissions(path_, std::filesystem::perms(0600));
  EXPECT_EQ(RecordFile(path_).Read()->record, HeldBy("a"));
}

// The flock asks for no right to write to the lock file.
TEST_F(BadFileTest, UsersWhoMayWriteToTheFolderTakeTurns) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0777));
  ASSERT_TRUE(Succeeded(RecordFile(path_).Create(kNever, HeldBy("a"))));
  EXPECT_NE(FirstLineOf({"nobody", "write", path_, "b"}), "denied");
  EXPECT_EQ(RecordFile(path_).Read()->record.holder_identity, "b");
}

}  // namespace
}  // namespace leaderelection

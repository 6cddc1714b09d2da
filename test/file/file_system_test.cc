#include "file/file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>

#include "file/descriptor.h"
#include "file/folder.h"
#include "file/temporary_folder.h"

namespace leaderelection {
namespace {

using testing::TemporaryFolder;

TEST(FileSystem, LocalOnesAreTrusted) {
  for (const std::uint32_t type : {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC}) {
    EXPECT_FALSE(SharedFileSystem(type)) << std::hex << type;
  }
  EXPECT_FALSE(SharedFileSystem(static_cast<std::uint32_t>(BTRFS_SUPER_MAGIC)));
}

TEST(FileSystem, ThoseOfSeveralHostsAreNamed) {
  EXPECT_EQ(SharedFileSystem(NFS_SUPER_MAGIC), "NFS");
  EXPECT_EQ(SharedFileSystem(SMB_SUPER_MAGIC), "SMB");
  EXPECT_EQ(SharedFileSystem(static_cast<std::uint32_t>(CIFS_SUPER_MAGIC)), "CIFS");
  EXPECT_EQ(SharedFileSystem(static_cast<std::uint32_t>(SMB2_SUPER_MAGIC)), "SMB2");
  EXPECT_EQ(SharedFileSystem(FUSE_SUPER_MAGIC), "FUSE");
  EXPECT_EQ(SharedFileSystem(V9FS_MAGIC), "9P");
  EXPECT_EQ(SharedFileSystem(CEPH_SUPER_MAGIC), "Ceph");
  EXPECT_EQ(SharedFileSystem(OCFS2_SUPER_MAGIC), "OCFS2");
  EXPECT_EQ(SharedFileSystem(AFS_FS_MAGIC), "AFS");
}

TEST(FileSystem, AnOpenFileTellsItsType) {
  const Descriptor proc(::open("/proc/self", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(FileSystemType(proc.number()), PROC_SUPER_MAGIC);
  EXPECT_FALSE(FileSystemType(-1));
}

TEST(Folder, OneOnASharedFileSystemIsRefusedByName) {
  const TemporaryFolder folder;
  const auto opened = Folder::Open(folder.path(), [](int) { return NFS_SUPER_MAGIC; });
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalid);
  EXPECT_NE(opened.error().message.find("NFS"), std::string::npos) << opened.error().message;
  EXPECT_NE(opened.error().message.find(folder.path().string()), std::string::npos) << opened.error().message;
}

TEST(Folder, OneWhoseFileSystemCannotBeToldIsNotTrusted) {
  const TemporaryFolder folder;
  EXPECT_FALSE(Folder::Open(folder.path(), [](int) { return std::nullopt; }).ok());
}

TEST(Folder, AFileIsNone) {
  const TemporaryFolder folder;
  testing::WriteText(folder / "file", "");
  EXPECT_EQ(Folder::Open(folder / "file", FileSystemType).error().code, ErrorCode::kInvalid);
}

TEST(Folder, ALinkToOneIsFollowed) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder.path(), folder / "link");
  EXPECT_TRUE(Folder::Open(folder / "link", FileSystemType).ok());
}

}  // namespace
}  // namespace leaderelection

#include "leaderelection/file_lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "file/records.h"
#include "file/temporary_folder.h"

namespace leaderelection {
namespace {

using testing::FailedWith;
using testing::HeldBy;
using testing::LockClient;
using testing::PendingAnswer;
using testing::Succeeded;
using testing::TemporaryFolder;

constexpr auto kPatience = std::chrono::seconds(30);

TEST(FileLock, APathWithoutAFileNameIsRefused) {
  for (const std::string path : {"", "/", "folder/", ".."}) EXPECT_THROW(FileLock{path}, std::invalid_argument) << path;
}

TEST(FileLock, IsCalledByItsWholePath) {
  EXPECT_EQ(FileLock("/run/demo/leader").Describe(), "/run/demo/leader");
  EXPECT_EQ(FileLock("leader").Describe(), (std::filesystem::current_path() / "leader").string());
}

TEST(FileLock, IsMadeWithoutItsFolderWhichMustExistWhenItIsUsed) {
  const TemporaryFolder folder;
  const LockClient client(std::make_shared<FileLock>(folder / "later/leader"), kPatience);
  EXPECT_TRUE(FailedWith(client.Create(HeldBy("a")), {ErrorCode::kInvalid}));
  std::filesystem::create_directory(folder / "later");
  EXPECT_TRUE(Succeeded(client.Create(HeldBy("a"))));
}

TEST(FileLock, ALinkOnTheWayToTheFolderIsFollowed) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_symlink("real", folder / "link");
  const LockClient by_link(std::make_shared<FileLock>(folder / "link/leader"), kPatience);
  const LockClient direct(std::make_shared<FileLock>(folder / "real/leader"), kPatience);
  ASSERT_TRUE(Succeeded(by_link.Create(HeldBy("a"))));
  EXPECT_TRUE(FailedWith(direct.Create(HeldBy("b")), {ErrorCode::kAlreadyExists}));
}

TEST(FileLock, RequestsAreAnsweredInTheirOrder) {
  const TemporaryFolder folder;
  FileLock lock(folder / "leader");
  std::vector<int> order;
  for (int i = 0; i < 10; ++i)
    lock.Get(kNever, Done<Stored>([&order, i](const Result<Stored>&) { order.push_back(i); }));
  PendingAnswer last;
  lock.Get(kNever, last.MakeDone());
  EXPECT_TRUE(FailedWith(last.Wait(kPatience), {ErrorCode::kNotFound}));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(FileLock, LocksOfOneProcessTakeTurnsToo) {
  const TemporaryFolder folder;
  const LockClient a(std::make_shared<FileLock>(folder / "leader"), kPatience);
  const LockClient b(std::make_shared<FileLock>(folder / "leader"), kPatience);
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  ASSERT_TRUE(Succeeded(b.Update(HeldBy("b"), created->version)));
  EXPECT_TRUE(FailedWith(a.Update(HeldBy("a"), created->version), {ErrorCode::kConflict}));
}

// Its lock file and draft have names of their own.
TEST(FileLock, ElectionsInOneFolderAreIndependent) {
  const TemporaryFolder folder;
  const LockClient a(std::make_shared<FileLock>(folder / "a"), kPatience);
  const LockClient b(std::make_shared<FileLock>(folder / "b"), kPatience);
  const auto first = a.Create(HeldBy("x"));
  ASSERT_TRUE(Succeeded(first));
  ASSERT_TRUE(Succeeded(b.Create(HeldBy("y"))));
  EXPECT_TRUE(testing::contract::IsStored(a, *first));
}

}  // namespace
}  // namespace leaderelection

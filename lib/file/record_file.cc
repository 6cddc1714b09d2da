#include "file/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "file/replace_file.h"
#include "file/system_error.h"
#include "file/turn.h"
#include "json/record_json.h"

namespace leaderelection {
namespace {

// Absolute, so that a change of the working directory does not move the election.
std::filesystem::path Checked(const std::filesystem::path& path) {
  const auto name = path.filename();
  if (name.empty() || name == "." || name == "..") {
    throw std::invalid_argument("FileLock: the path \"" + path.string() + "\" has no file name");
  }
  if (path.native().find('\0') != std::string::npos) {
    throw std::invalid_argument("FileLock: the path \"" + std::string(path.c_str()) + "...\" holds a zero byte");
  }
  return std::filesystem::absolute(path);
}

Error Corrupt(const std::filesystem::path& path, const std::string& why) {
  return {ErrorCode::kCorrupt, path.string() + ": " + why, std::nullopt};
}

// A symbolic link is not followed: a write would replace the link and leave the file behind it as it was.
Error CannotOpen(int number, const std::filesystem::path& path) {
  if (number == ENOENT) return {ErrorCode::kNotFound, "there is no record in " + path.string(), std::nullopt};
  if (number == ELOOP) return Corrupt(path, "a symbolic link");
  if (number == ENXIO) return Corrupt(path, "not a regular file");
  return SystemError(number, "open", path);
}

// Reads one byte more than a record may have, so that a longer file is recognised as such.
Result<std::string> ReadContent(const Descriptor& file, const std::filesystem::path& path) {
  struct stat about {};
  if (::fstat(file.number(), &about) != 0) return SystemError(errno, "read", path);
  if (!S_ISREG(about.st_mode)) return Corrupt(path, S_ISDIR(about.st_mode) ? "a directory" : "not a regular file");
  std::string content(kLargestRecordJson + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = ::read(file.number(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(errno, "read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  content.resize(size);
  return content;
}

}  // namespace

RecordFile::RecordFile(const std::filesystem::path& path, Host host)
    : path_(Checked(path)), name_(path_.filename().string()), host_(std::move(host)) {}

Result<Stored> RecordFile::Read() {
  const auto folder = Folder::Open(path_.parent_path(), host_.file_system_type);
  if (!folder.ok()) return folder.error();
  return ReadIn(*folder);
}

Result<Stored> RecordFile::Create(MonotonicTime deadline, const Record& record) {
  return CompareAndSwap(deadline, record, nullptr);
}

Result<Stored> RecordFile::Update(MonotonicTime deadline, const Record& record, const Version& expected) {
  return CompareAndSwap(deadline, record, &expected);
}

Result<Stored> RecordFile::ReadIn(const Folder& folder) {
  const Descriptor file = folder.OpenFile(name_, O_RDONLY);
  if (!file) return CannotOpen(errno, path_);
  const auto content = ReadContent(file, path_);
  if (!content.ok()) return content.error();
  auto stored = RecordFromJson(*content);
  if (!stored.ok()) return Corrupt(path_, stored.error().message);
  Saw(stored->version.order);
  return stored;
}

Result<Stored> RecordFile::CompareAndSwap(MonotonicTime deadline, const Record& record, const Version* expected) {
  const auto folder = Folder::Open(path_.parent_path(), host_.file_system_type);
  if (!folder.ok()) return folder.error();
  const auto turn = Turn::Take(*folder, name_ + ".lock", deadline, interruption_);
  if (!turn.ok()) return turn.error();

  const auto current = ReadIn(*folder);
  const bool absent = !current.ok() && current.error().code == ErrorCode::kNotFound;
  if (!current.ok() && !absent) return current.error();
  if (!expected && !absent) return {ErrorCode::kAlreadyExists, "there is a record in " + path_.string() + " already"};
  if (expected && absent) return current.error();
  if (expected && expected->order != current->version.order) {
    return {ErrorCode::kConflict, "the record in " + path_.string() + " has changed"};
  }
  const auto may_replace = [&]() -> Status {
    if (BootClock::now() >= deadline) {
      return {ErrorCode::kTimeout, "the deadline passed before " + path_.string() + " was replaced"};
    }
    if (!turn->IsAlone(*folder)) return {ErrorCode::kUnknown, path_.string() + ".lock was removed during a write"};
    return std::monostate();
  };
  return Put(*folder, may_replace, record, NextOrder(absent));
}

Result<Stored> RecordFile::Put(const Folder& folder, const std::function<Status()>& may_replace, const Record& record,
                               std::uint64_t order) {
  const auto text = RecordToJson(record, order);
  if (!text.ok()) return text.error();
  // Before it is known to have landed: a number that may have been given away is not given again.
  Saw(order);
  const Status replaced = ReplaceFile(folder, name_, name_ + ".lock.new", *text + "\n", may_replace);
  if (!replaced.ok()) return replaced.error();
  return Stored{.record = record, .version = {.order = order}};
}

// Rule 10. What is stored has been seen. Above the number of a record that is gone stands that of its deletion, which
// others may have noticed; a new record stands above that too.
std::uint64_t RecordFile::NextOrder(bool absent) const {
  const auto microseconds = std::max<std::int64_t>(host_.wall_now().time_since_epoch().count(), 1);
  const std::uint64_t above_all_seen = highest_seen_ + (absent ? 2 : 1);
  return std::max(static_cast<std::uint64_t>(microseconds), above_all_seen);
}

void RecordFile::Saw(std::uint64_t order) {
  std::uint64_t highest = highest_seen_;
  while (highest < order && !highest_seen_.compare_exchange_weak(highest, order)) {
  }
}

}  // namespace leaderelection

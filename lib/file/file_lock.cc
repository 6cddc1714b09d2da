#include "leaderelection/file_lock.h"

#include <system_error>
#include <utility>

#include "file/file_watches.h"
#include "file/record_file.h"
#include "leaderelection/blocking_lock.h"

namespace leaderelection {
namespace {

BlockingLock::Functions RequestsOn(const std::shared_ptr<RecordFile>& file) {
  return {
      .get = [file](MonotonicTime) { return file->Read(); },
      .create = [file](MonotonicTime deadline, const Record& record) { return file->Create(deadline, record); },
      .update = [file](MonotonicTime deadline, const Record& record,
                       const Version& expected) { return file->Update(deadline, record, expected); },
  };
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path)
    : file_(std::make_shared<RecordFile>(path)),
      requests_(std::make_unique<BlockingLock>(RequestsOn(file_), file_->path().string())),
      watches_(std::make_unique<FileWatches>(file_)) {}

FileLock::~FileLock() { file_->Interrupt(); }

void FileLock::Get(MonotonicTime deadline, Done<Stored> done) { requests_->Get(deadline, std::move(done)); }

void FileLock::Create(MonotonicTime deadline, const Record& record, Done<Stored> done) {
  requests_->Create(deadline, record, std::move(done));
}

void FileLock::Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) {
  requests_->Update(deadline, record, expected, std::move(done));
}

std::unique_ptr<Watch> FileLock::Observe(std::function<void(WatchEvent)> on_event) {
  try {
    return watches_->Observe(std::move(on_event));
  } catch (const std::system_error&) {
    return nullptr;
  }
}

std::string FileLock::Describe() const { return requests_->Describe(); }

}  // namespace leaderelection

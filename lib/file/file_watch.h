// Tells of changes of the record, as the kernel tells of its folder.

#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "file/record_file.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// One thread per watch. May be destroyed in its own callback.
class FileWatch final : public Watch {
 public:
  // Throws std::system_error if there is no thread or descriptor to be had.
  FileWatch(std::shared_ptr<RecordFile> file, std::function<void(WatchEvent)> on_event);
  ~FileWatch() override;

 private:
  class Loop;
  const std::shared_ptr<Loop> loop_;
  std::thread thread_;
};

}  // namespace leaderelection

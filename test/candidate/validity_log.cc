#include "candidate/validity_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>

#include "candidate/lines.h"

namespace leaderelection::candidate {
namespace {

constexpr int kLineLength = 75;

int Open(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

}  // namespace

ValidityLog::ValidityLog(const LeaderElector& elector, const std::string& path)
    : elector_(elector), file_(Open(path)), thread_([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        while (!never.wait_for(lock, stop, std::chrono::milliseconds(2), [&] { return stop.stop_requested(); })) Look();
      }) {}

ValidityLog::~ValidityLog() {
  thread_.request_stop();
  thread_.join();
  ::close(file_);
}

// The number is asked for after the answer: should another term have begun meanwhile, it gets less time than it had.
void ValidityLog::Look() {
  const std::int64_t before = Lines::RawNow();
  if (!elector_.IsLeader()) return;
  const auto term = elector_.CurrentTerm();
  const std::int64_t after = Lines::RawNow();
  if (!term) return;
  if (index_ < 0 || term->fencing_token() != number_) {
    ++index_;
    number_ = term->fencing_token();
    first_ = last_ = after;
    looks_ = 0;
  }
  last_ = std::max(last_, before);
  ++looks_;
  Write();
}

void ValidityLog::Write() const {
  std::array<char, kLineLength + 1> line{};
  std::snprintf(line.data(), line.size(), "%020" PRIu64 " %020" PRId64 " %020" PRId64 " %011" PRIu64 "\n", number_,
                first_, last_, looks_);
  [[maybe_unused]] const auto written = ::pwrite(file_, line.data(), kLineLength, index_ * kLineLength);
}

}  // namespace leaderelection::candidate

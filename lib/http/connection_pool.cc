#include "http/connection_pool.h"

#include <chrono>
#include <utility>

namespace leaderelection::http {
namespace {

// As many as the elections of a process ever keep busy: to close one that is needed a moment later costs a handshake.
constexpr std::size_t kMostIdle = 32;
// Servers and what lies between close idle connections after some minutes at the earliest.
constexpr std::chrono::seconds kLongestIdle{60};

}  // namespace

std::shared_ptr<net::Stream> ConnectionPool::Take(const std::shared_ptr<const net::TlsContext>& tls) {
  CloseOld();
  for (auto idle = idle_.begin(); idle != idle_.end();) {
    if (idle->tls != tls) {
      ++idle;
      continue;
    }
    const std::shared_ptr<net::Stream> stream = std::move(idle->stream);
    idle = idle_.erase(idle);
    if (!stream->IsStale()) return stream;
    stream->Close();
  }
  return nullptr;
}

void ConnectionPool::Put(std::shared_ptr<net::Stream> stream, std::shared_ptr<const net::TlsContext> tls) {
  stream->ExpireAt(kNever);
  idle_.push_front({std::move(stream), std::move(tls), BootClock::now()});
  CloseOld();
}

void ConnectionPool::CloseAll() {
  for (Idle& idle : idle_) idle.stream->Close();
  idle_.clear();
}

void ConnectionPool::CloseOld() {
  const MonotonicTime oldest = BootClock::now() - kLongestIdle;
  while (!idle_.empty() && (idle_.size() > kMostIdle || idle_.back().since < oldest)) {
    idle_.back().stream->Close();
    idle_.pop_back();
  }
}

}  // namespace leaderelection::http

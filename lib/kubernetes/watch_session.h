// A watch's long reply of the API server, made again whenever it ends.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "kubernetes/api_client.h"
#include "kubernetes/bounded_json.h"
#include "kubernetes/lease_codec.h"
#include "kubernetes/watch_frames.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// A WatchEvent before it is known whose it is.
struct WatchNews {
  WatchEvent::Kind kind = WatchEvent::Kind::kLive;
  Json object;              // kChanged, kDeleted: the Lease
  std::uint64_t order = 0;  // its resourceVersion; zero: none that can be read
  bool is_renewal = false;  // the object had been there before
  Error error;              // kLost, kRefused
};

// Goes on from the last resourceVersion it knows, which bookmarks keep young, so that a server which ends the reply
// after its time costs neither a change nor a word. Where that is too old (410), and after every failure, it says so:
// kLost, and kLive once a new reply is there. Tries again after a growing, random time. A refusal (403) that lasts ends
// it: kRefused. Thread-safe; share it by shared_ptr.
//
// One reply at a time. Its callbacks come one after another; Connect and Stop come from elsewhere, so all share a
// mutex, which is never held while `deliver` runs or a stream is destroyed.
class WatchSession : public std::enable_shared_from_this<WatchSession> {
 public:
  struct Listener {
    std::function<void(WatchNews)> queue;  // in order; only puts it by, for the mutex is held
    std::function<void()> deliver;         // tells what was put by
  };

  // Of one Lease, or, where its name is empty, of all those of its namespace.
  WatchSession(const std::shared_ptr<ApiClient>& api, LeaseName lease, Listener listener);

  void Connect();
  // No news is queued after it. Returns after the running callback, unless it is called in one.
  void Stop();

 private:
  // How a reply ended, as far as it is not known from its end alone.
  enum class Ending { kByItself, kExpired, kRefused, kUnauthorized, kFailed };

  void Open(const Result<Credential>& credential);
  void EndStream();
  void OpenGuarded(const Result<Credential>& credential);
  void OnResponse(const http::Response& response);
  void OnPiece(std::string_view piece);
  void OnEnd(const Status& status);
  bool OnLine(std::string_view line);

  // All of these are called with the mutex held.
  void TellLive();
  void TellLost();
  void TellObject(const std::string& type, Json object);
  void OnBookmark(const Json& object);
  void Fail(Ending ending, Error error);
  void Retry();
  void GiveUp();
  void RetryAfterPause(std::chrono::milliseconds at_least);
  void ConnectAt(MonotonicTime time);
  void ReplaceCredentialAndRetry();

  [[nodiscard]] ApiRequest Wish();
  std::chrono::milliseconds Between(std::chrono::milliseconds low, std::chrono::milliseconds high);

  const std::weak_ptr<ApiClient> api_;
  const LeaseName lease_;
  const Listener listener_;

  std::mutex mutex_;
  bool is_stopped_ = false;
  bool is_retrying_ = false;  // the present reply is of no use any more, and the next one is on its way
  std::unique_ptr<http::Streaming> stream_;
  std::string resume_from_;  // a resourceVersion; empty: begin with the Leases as they are
  bool is_live_ = false;
  bool has_been_live_ = false;
  int failures_ = 0;  // in a row
  std::optional<MonotonicTime> refused_since_;
  std::minstd_rand random_{std::random_device()()};
  // Of the present reply:
  std::uint64_t credential_ = 0;
  MonotonicTime opened_{};
  WatchFrames frames_{kLargestJson};
  bool is_in_order_ = false;  // an event's resourceVersion is a place to go on from
  Ending ending_ = Ending::kByItself;
  Error error_;
  bool has_tried_other_credential_ = false;
};

}  // namespace leaderelection

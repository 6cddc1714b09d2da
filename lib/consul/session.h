// The session of one lock: made when it is needed, renewed while it lives, destroyed on the way out.

#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "consul/transport.h"
#include "leaderelection/clock.h"
#include "leaderelection/consul_lock.h"
#include "leaderelection/error.h"
#include "net/timer.h"

namespace leaderelection::consul {

// On the I/O thread only.
class Session : public std::enable_shared_from_this<Session> {
 public:
  using Ready = std::function<void(Result<std::string>)>;

  Session(std::shared_ptr<Transport> transport, std::function<ConsulSession()> settings);
  // Ends what is under way, without a further callback.
  ~Session();

  // Gives the id, of a new session if there is none; not always before it returns. The lease is that of the record to
  // be written: settings that were left open follow it.
  void Ensure(MonotonicTime deadline, std::chrono::milliseconds lease_duration, Ready ready);

  // It is not needed for now: kept for a third of its TTL in case it is after all, then destroyed.
  void Rest();

  // Consul does not know this one any more.
  void Forget(const std::string& id);

  // Best effort until the deadline; `done` is called when no session is left or being destroyed, unless this object
  // goes first. One that is being made is destroyed too.
  void Destroy(MonotonicTime deadline, std::function<void()> done);

  // Waits for nothing more.
  void Abandon();

  // Whether this was the id of one of the latest sessions.
  [[nodiscard]] bool WasOurs(const std::string& id) const;

 private:
  [[nodiscard]] std::string AskForSettings(ConsulSession& settings) const;
  void OnCreated(Result<http::Response> answer);
  void Schedule(std::chrono::milliseconds delay);
  void OnTime();
  void Renew();
  void OnRenewed(const std::string& id, const Result<http::Response>& answer);
  void OnDestroyed();
  template <class Method>
  Transport::Answered Bound(Method method);

  const std::shared_ptr<Transport> transport_;
  const std::function<ConsulSession()> settings_;
  std::stop_source stop_;
  net::Timer timer_;
  std::string id_;  // empty: none
  std::chrono::milliseconds ttl_{0};
  bool resting_ = false;
  std::deque<std::string> latest_;
  std::vector<Ready> waiting_;  // for the one that is being made
  int being_destroyed_ = 0;
  std::vector<std::function<void()>> when_destroyed_;
};

}  // namespace leaderelection::consul

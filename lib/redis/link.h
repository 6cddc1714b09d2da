// A connection that is made again whenever it breaks and somebody needs it.

#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "net/timer.h"
#include "net/tls.h"
#include "redis/connection.h"
#include "redis/finder.h"
#include "redis/login.h"

namespace leaderelection::redis {

struct LinkSettings {
  Login login;
  std::optional<net::TlsSettings> tls;  // none: plain
  std::chrono::milliseconds connect_timeout{2000};
};

// What a link tells whoever keeps it up. Each may use the link again.
struct LinkEvents {
  std::function<void()> on_up;
  std::function<void(const Error&)> on_down;  // broken, or another attempt failed
  std::function<void(const Reply&)> on_message;
};

// Lives on the context's thread. Requests wait for the connection, but not for a second attempt: if it cannot be made
// they are answered with the reason, which none of them can have outrun. Attempts keep a growing, jittered distance.
class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(boost::asio::io_context& context, std::shared_ptr<Finder> finder, LinkSettings settings, LinkEvents events = {});

  // All of them over one and the same connection, with nothing between them.
  void Send(std::vector<RequestPtr> requests);
  // Stays connected though there is nothing to send.
  void KeepUp(bool wanted);
  // Ends the connection; what is under way is answered with `why`. The next one may lead to another server.
  void Reset(const Error& why);
  // For good.
  void Close();

  [[nodiscard]] bool is_up() const { return state_ == State::kUp; }
  // Whether it is up, to another server than this.
  [[nodiscard]] bool LeadsElsewhereThan(const net::Endpoint& server) const;

 private:
  enum class State { kDown, kConnecting, kUp, kClosed };

  void Pursue();
  void Connect();
  void ConnectTo(const net::Endpoint& server, MonotonicTime deadline);
  void Introduced(const Status& status);
  void Failed(const Error& why);
  void Put(const RequestPtr& request);
  void CheckAlive();
  void BackOff();

  boost::asio::io_context& context_;
  const std::shared_ptr<Finder> finder_;
  const LinkSettings settings_;
  const LinkEvents events_;

  State state_ = State::kDown;
  bool wanted_ = false;
  std::deque<std::vector<RequestPtr>> waiting_;
  std::shared_ptr<Connection> connection_;
  MonotonicTime up_since_{};
  MonotonicTime next_attempt_{};
  std::chrono::milliseconds back_off_{0};
  bool resting_ = false;  // the timer runs
  net::Timer timer_;
  std::minstd_rand random_;
};

}  // namespace leaderelection::redis

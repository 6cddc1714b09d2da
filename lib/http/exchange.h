// One request and its reply: all of the client's contract that does not depend on who speaks HTTP.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "http/client.h"
#include "net/io_thread.h"

namespace leaderelection::http {

class Exchanges;

// Tells its caller the outcome once: checks the request, collects or passes on the reply, holds it to its size, ends it
// when it is stopped. What speaks HTTP derives from it and reports what comes. Lives on the I/O thread, but for
// construction; kept alive by the handlers of what is under way.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  // What every exchange is made of.
  struct Origin {
    net::IoThread& io;  // outlives the time until the exchange is over
    net::Endpoint server;
    std::weak_ptr<Exchanges> siblings;
  };
  using Done = std::function<void(Result<Response>)>;

  Exchange(Origin origin, Request request, Done done);
  Exchange(Origin origin, Request request, std::chrono::milliseconds silence, StreamEvents events);
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void Start();
  void Break(const std::string& why);  // as a failure
  void Drop();                         // without a word to the caller

 protected:
  // For what speaks HTTP. Begin connects and writes; ExpireAt replaces the time at which it has to Fail with kTimeout;
  // Release lets the connection go, closed or, after a whole reply, for others to use.
  virtual void Begin() = 0;
  virtual void ExpireAt(MonotonicTime time) = 0;
  virtual void Release() = 0;

  // Each may end the exchange: look at is_over() before the next. `length`: what the head says of the body's.
  void TakeHead(Response head, std::optional<std::uint64_t> length);
  void TakePiece(std::string_view piece);
  void TakeEnd();
  void Fail(Error error);

  [[nodiscard]] bool is_over() const { return over_; }
  [[nodiscard]] bool is_whole() const { return whole_; }  // the reply is there to its last byte
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] const net::Endpoint& server() const { return server_; }
  [[nodiscard]] net::IoThread& io() const { return io_; }

 private:
  [[nodiscard]] bool passes_pieces_on() const { return is_stream_ && response_.status / 100 == 2; }
  void ExpectMore();
  void FailAsTooLarge();
  bool Conclude();

  net::IoThread& io_;
  const net::Endpoint server_;
  const std::weak_ptr<Exchanges> siblings_;
  const Request request_;
  const bool is_stream_;
  const std::chrono::milliseconds silence_{};
  const StreamEvents events_;
  Done done_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;

  Response response_;
  bool has_head_ = false;
  bool whole_ = false;
  bool over_ = false;
  bool dropped_ = false;
};

// The exchanges of one client that are not over. Thread-safe.
class Exchanges : public std::enable_shared_from_this<Exchanges> {
 public:
  void Start(net::IoThread& io, const std::shared_ptr<Exchange>& exchange);
  // On the I/O thread: each caller has been told when it returns.
  void BreakAll();

 private:
  friend class Exchange;
  void Forget(const std::shared_ptr<Exchange>& exchange);

  std::mutex mutex_;
  std::set<std::shared_ptr<Exchange>> under_way_;
};

// The caller's hold on a stream.
class HeldExchange : public Streaming {
 public:
  HeldExchange(std::shared_ptr<net::IoThread> io, std::shared_ptr<Exchange> exchange)
      : io_(std::move(io)), exchange_(std::move(exchange)) {}
  ~HeldExchange() override {
    io_->RunAndWait([this] { exchange_->Drop(); });
  }

 private:
  const std::shared_ptr<net::IoThread> io_;
  const std::shared_ptr<Exchange> exchange_;
};

}  // namespace leaderelection::http

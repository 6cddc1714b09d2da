// One connection to one Redis server: commands go out as they come, replies come back in their order.

#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/endpoint.h"
#include "net/stream.h"
#include "redis/reply.h"
#include "redis/request.h"

namespace leaderelection::redis {

// Lives on the context's thread only. After Close it stays closed; whoever needs another makes one.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& context, net::Endpoint server, std::shared_ptr<const net::TlsContext> tls);

  // `done` is called once, later, unless Close comes first.
  void Open(MonotonicTime deadline, std::function<void(Status)> done);
  // A request is answered by its reply or by what ended the connection; its own timer may have been quicker.
  void Send(RequestPtr request);
  // Answers what is under way with `why`. Tells nobody else.
  void Close(const Error& why);

  // Called if the connection ends by itself, after all that was under way has been answered.
  void OnEnded(std::function<void(const Error&)> ended) { ended_ = std::move(ended); }
  // Called with the messages of subscribed channels, which answer no command.
  void OnMessage(std::function<void(const Reply&)> message) { message_ = std::move(message); }

  [[nodiscard]] const net::Endpoint& server() const { return server_; }
  // How long the oldest command under way has met with silence; nothing has to have come since it was sent.
  [[nodiscard]] std::chrono::nanoseconds Silence() const;

 private:
  void Read();
  void Take(std::string_view bytes);
  void Dispatch(Reply reply);
  void WriteSoon();
  void Write();
  void End(Error why);

  boost::asio::io_context& context_;
  const net::Endpoint server_;
  const bool has_tls_;
  const std::shared_ptr<net::Stream> stream_;
  bool closed_ = false;
  std::deque<RequestPtr> in_flight_;
  std::string to_write_;
  std::string being_written_;
  bool writing_ = false;  // or about to
  std::array<char, 16 * 1024> input_{};
  ReplyReader reader_;
  MonotonicTime heard_at_{};
  std::function<void(const Error&)> ended_;
  std::function<void(const Reply&)> message_;
};

}  // namespace leaderelection::redis

// A connection, plain or TLS, that ends at a deadline whatever the other side does.
//
//   auto stream = std::make_shared<Stream>(io->context(), endpoint, tls);
//   stream->ExpireAt(deadline);
//   stream->Connect([stream](Status connected) { ... boost::asio::async_write(*stream, ...) ... });

#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "net/endpoint.h"
#include "net/lookup.h"
#include "net/timer.h"
#include "net/tls.h"

namespace leaderelection::net {

// Models Asio's AsyncReadStream and AsyncWriteStream, so that Asio's and Beast's algorithms run on it; at most one read
// and one write at a time. Lives on the context's thread only. Whoever starts an operation keeps the Stream alive until
// its handler has run, best by capturing it there; Close makes that soon. After an error there is only Close.
//
// Look-up, connecting, handshake, reads and writes all end when the deadline passes: the stream is then closed, and
// what was under way ends with an error that Explain calls kTimeout.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  using executor_type = boost::asio::io_context::executor_type;

  // Plain if `tls` is null.
  Stream(boost::asio::io_context& context, Endpoint server, std::shared_ptr<const TlsContext> tls,
         Lookup::Options lookup = {});

  // Looks the host up, tries its addresses in turn, each with its share of the time left, and shakes hands. `done` is
  // called once, from the context, unless the stream goes away first.
  void Connect(std::function<void(Status)> done);

  // For all that is under way and all that follows; kNever lifts it.
  void ExpireAt(MonotonicTime deadline);
  void Close();

  // What went wrong, in words with the server's name: kTimeout if it was the deadline, else kUnknown.
  [[nodiscard]] Error Explain(const boost::system::error_code& error) const;

  [[nodiscard]] bool is_connected() const { return stage_ == Stage::kConnected; }
  // Whether the other side has closed or spoken although it was not asked. A stale connection shows it before use.
  [[nodiscard]] bool IsStale();

  executor_type get_executor() { return context_.get_executor(); }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto&& handler, const Buffers& into) {
          using Handler = decltype(handler);
          if (tls_stream_) {
            tls_stream_->async_read_some(into, std::forward<Handler>(handler));
          } else {
            socket_.async_read_some(into, std::forward<Handler>(handler));
          }
        },
        token, buffers);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto&& handler, const Buffers& from) {
          using Handler = decltype(handler);
          if (tls_stream_) {
            tls_stream_->async_write_some(from, std::forward<Handler>(handler));
          } else {
            socket_.async_write_some(from, std::forward<Handler>(handler));
          }
        },
        token, buffers);
  }

 private:
  enum class Stage { kIdle, kLookup, kConnecting, kHandshake, kConnected, kClosed };

  void TryAddress(std::size_t index);
  void GiveUpAt(MonotonicTime time);
  void Handshake();
  void Finish(Status status);

  boost::asio::io_context& context_;
  const Endpoint server_;
  const std::shared_ptr<const TlsContext> tls_;
  const Lookup::Options lookup_options_;

  Stage stage_ = Stage::kIdle;
  MonotonicTime deadline_ = kNever;
  bool expired_ = false;
  Timer deadline_timer_;
  Timer attempt_timer_;
  std::unique_ptr<Lookup> lookup_;
  Addresses addresses_;
  boost::asio::ip::tcp::socket socket_;
  // Made for the connection that is to be used; declared after what they refer to.
  std::shared_ptr<TlsVerdict> verdict_;
  std::optional<boost::asio::ssl::context> tls_context_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_stream_;
  std::function<void(Status)> connected_;
};

}  // namespace leaderelection::net

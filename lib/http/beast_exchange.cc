#include "http/beast_exchange.h"

#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <limits>
#include <string>
#include <utility>

namespace leaderelection::http {
namespace {

namespace beast = boost::beast;

constexpr std::uint32_t kLargestHead = 64 << 10;

net::Secret ToWire(const Request& request, const net::Endpoint& server) {
  std::size_t size = 512 + request.target.size() + server.host.size() + request.bearer_token.Reveal().size();
  for (const auto& [name, value] : request.headers) size += name.size() + value.size() + 4;
  std::string text;
  text.reserve(size + request.body.size());  // at once: what grows leaves copies behind that nobody wipes
  text += request.method + " " + request.target + " HTTP/1.1\r\nHost: " + ToString(server) + "\r\n";
  for (const auto& [name, value] : request.headers) text.append(name).append(": ").append(value).append("\r\n");
  if (!request.bearer_token.empty())
    text.append("Authorization: Bearer ").append(request.bearer_token.Reveal()).append("\r\n");
  if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD"))
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  text.append("\r\n").append(request.body);
  net::Secret wire(text);
  OPENSSL_cleanse(text.data(), text.size());
  return wire;
}

Response HeadOf(const beast::http::response<beast::http::buffer_body>& message) {
  Response head;
  head.status = static_cast<int>(message.result_int());
  for (const auto& field : message) head.headers.emplace_back(field.name_string(), field.value());
  return head;
}

}  // namespace

void BeastExchange::Begin() {
  wire_ = ToWire(request(), server());
  stream_ = pool_->Take(request().tls);
  if (stream_) {
    ExpireAt(request().deadline);
    return Write();
  }
  stream_ = std::make_shared<net::Stream>(io().context(), server(), request().tls);
  ExpireAt(request().deadline);
  // Weak: a stream that is closed before it is connected keeps this for as long as it lives itself.
  stream_->Connect([weak = std::weak_ptr(self())](Status connected) {
    const auto self = weak.lock();
    if (!self || self->is_over()) return;
    if (!connected) return self->Fail(connected.error());
    self->Write();
  });
}

void BeastExchange::Write() {
  boost::asio::async_write(*stream_, boost::asio::buffer(wire_.Reveal()),
                           [self = self()](const boost::system::error_code& error, std::size_t) {
                             if (self->is_over()) return;
                             self->is_written_ = !error;
                             // If the server has closed, what it said before tells more than the failed write.
                             self->ReadHead();
                           });
}

void BeastExchange::ReadHead() {
  parser_.emplace();
  parser_->header_limit(kLargestHead);
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // Exchange holds it to its size.
  if (request().method == "HEAD") parser_->skip(true);
  beast::http::async_read_header(
      *stream_, buffer_, *parser_, [self = self()](const boost::system::error_code& error, std::size_t) {
        if (self->is_over()) return;
        if (error) return self->FailBy(error);
        const auto& message = self->parser_->get();
        if (message.result_int() / 100 == 1 && message.result() != beast::http::status::switching_protocols)
          return self->ReadHead();  // The reply proper is still to come.
        const auto length = self->parser_->content_length();
        self->TakeHead(HeadOf(message), length ? std::optional<std::uint64_t>(*length) : std::nullopt);
        self->ReadBody();
      });
}

void BeastExchange::ReadBody() {
  if (is_over()) return;
  if (parser_->is_done()) return TakeEnd();
  parser_->get().body().data = piece_.data();
  parser_->get().body().size = piece_.size();
  beast::http::async_read_some(
      *stream_, buffer_, *parser_, [self = self()](const boost::system::error_code& error, std::size_t) {
        if (self->is_over()) return;
        if (error && error != beast::http::error::need_buffer) return self->FailBy(error);
        self->TakePiece({self->piece_.data(), self->piece_.size() - self->parser_->get().body().size});
        self->ReadBody();
      });
}

void BeastExchange::FailBy(const boost::system::error_code& error) {
  if (error.category() != make_error_code(beast::http::error::bad_version).category())
    return Fail(stream_->Explain(error));
  if (error == beast::http::error::end_of_stream) return Break("connection closed by the server before it answered");
  if (error == beast::http::error::partial_message) return Break("connection closed by the server amid its reply");
  Break("no well-formed HTTP reply (" + error.message() + ")");
}

void BeastExchange::Release() {
  if (!stream_) return;
  // Bytes beyond the reply belong to nothing we asked for.
  const bool is_reusable = is_whole() && is_written_ && parser_->keep_alive() && buffer_.size() == 0 &&
                           parser_->get().result() != beast::http::status::switching_protocols;
  if (is_reusable) {
    pool_->Put(stream_, request().tls);
  } else {
    stream_->Close();
  }
}

}  // namespace leaderelection::http

#include "redis/connection.h"

#include <hiredis/hiredis.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>
#include <vector>

namespace leaderelection::redis {
namespace {

void AppendFormatted(const Command& command, std::string& output) {
  std::vector<const char*> words;
  std::vector<std::size_t> sizes;
  for (const std::string& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* formatted = nullptr;
  const int size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), words.data(), sizes.data());
  if (size < 0) throw std::bad_alloc();
  output.append(formatted, static_cast<std::size_t>(size));
  redisFreeCommand(formatted);
}

bool IsMessage(const Reply& reply) {
  return reply.kind == Reply::Kind::kArray && reply.elements.size() == 3 && reply.elements[0].text == "message";
}

}  // namespace

Connection::Connection(boost::asio::io_context& context, net::Endpoint server,
                       std::shared_ptr<const net::TlsContext> tls)
    : context_(context),
      server_(server),
      has_tls_(tls != nullptr),
      stream_(std::make_shared<net::Stream>(context, server, std::move(tls))) {}

void Connection::Open(MonotonicTime deadline, std::function<void(Status)> done) {
  stream_->ExpireAt(deadline);
  // The stream keeps this until it is connected, and must not keep its own owner.
  stream_->Connect([weak = weak_from_this(), done = std::move(done)](Status connected) {
    const auto self = weak.lock();
    if (!self || self->closed_) return;
    self->stream_->ExpireAt(kNever);
    if (connected) self->Read();
    done(std::move(connected));
  });
}

void Connection::Send(RequestPtr request) {
  if (closed_) return request->Finish(Error{ErrorCode::kUnknown, ToString(server_) + ": not connected", std::nullopt});
  request->sent_at = BootClock::now();
  AppendFormatted(request->command, to_write_);
  in_flight_.push_back(std::move(request));
  WriteSoon();
}

std::chrono::nanoseconds Connection::Silence() const {
  if (in_flight_.empty() || heard_at_ >= in_flight_.front()->sent_at) return std::chrono::nanoseconds(0);
  return BootClock::now() - in_flight_.front()->sent_at;
}

// Not at once, so that what many locks send in one turn goes out as one packet.
void Connection::WriteSoon() {
  if (std::exchange(writing_, true)) return;
  boost::asio::post(context_, [self = shared_from_this()] { self->Write(); });
}

void Connection::Write() {
  being_written_.clear();
  being_written_.swap(to_write_);
  writing_ = !closed_ && !being_written_.empty();
  if (!writing_) return;
  boost::asio::async_write(*stream_, boost::asio::buffer(being_written_),
                           [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
                             if (self->closed_) return;
                             if (error) return self->End(self->stream_->Explain(error));
                             self->Write();
                           });
}

void Connection::Read() {
  stream_->async_read_some(boost::asio::buffer(input_),
                           [self = shared_from_this()](const boost::system::error_code& error, std::size_t size) {
                             if (self->closed_) return;
                             if (error) return self->End(self->stream_->Explain(error));
                             self->heard_at_ = BootClock::now();
                             self->Take(std::string_view(self->input_.data(), size));
                             if (!self->closed_) self->Read();
                           });
}

void Connection::Take(std::string_view bytes) {
  std::vector<Reply> replies;
  const Status read = reader_.Feed(bytes, replies);
  for (Reply& reply : replies) {
    Dispatch(std::move(reply));
    if (closed_) return;
  }
  if (!read) End({read.error().code, ToString(server_) + ": " + read.error().message, std::nullopt});
}

void Connection::Dispatch(Reply reply) {
  if (message_ && IsMessage(reply)) return message_(reply);
  if (in_flight_.empty()) {
    // "ERR max number of clients reached" comes unasked, before the server hangs up.
    const std::string said = reply.IsError() ? reply.text.substr(0, 200) : "an answer that nobody asked for";
    return End({ErrorCode::kUnknown, ToString(server_) + ": " + said, std::nullopt});
  }
  const RequestPtr request = std::move(in_flight_.front());
  in_flight_.pop_front();
  request->Finish(std::move(reply));
}

void Connection::End(Error why) {
  // A TLS server hangs up on plain text, and what it says on the way is mostly lost.
  if (!has_tls_ && heard_at_ == MonotonicTime()) why.message += " before it said anything: it may expect TLS";
  const auto ended = std::exchange(ended_, nullptr);
  Close(why);
  if (ended) ended(why);
}

void Connection::Close(const Error& why) {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  ended_ = nullptr;
  stream_->Close();
  const std::deque<RequestPtr> unanswered = std::exchange(in_flight_, {});
  for (const RequestPtr& request : unanswered) request->Finish(why);
}

}  // namespace leaderelection::redis

#include "net/stream.h"

#include <algorithm>

#include "net/failure.h"
#include "net/socket.h"

namespace leaderelection::net {

Stream::Stream(boost::asio::io_context& context, Endpoint server, std::shared_ptr<const TlsContext> tls,
               Lookup::Options lookup)
    : context_(context),
      server_(std::move(server)),
      tls_(std::move(tls)),
      lookup_options_(std::move(lookup)),
      deadline_timer_(context),
      attempt_timer_(context),
      socket_(context) {}

void Stream::Connect(std::function<void(Status)> done) {
  connected_ = std::move(done);
  stage_ = Stage::kLookup;
  lookup_ = std::make_unique<Lookup>(context_, server_.host, lookup_options_,
                                     [weak = weak_from_this()](Result<Addresses> found) {
                                       const auto self = weak.lock();
                                       if (!self) return;
                                       self->lookup_.reset();
                                       if (!found) return self->Finish(found.error());
                                       self->addresses_ = std::move(found).value();
                                       self->TryAddress(0);
                                     });
}

void Stream::TryAddress(std::size_t index) {
  stage_ = Stage::kConnecting;
  const boost::asio::ip::tcp::endpoint endpoint(addresses_[index], server_.port);
  boost::system::error_code error;
  socket_.close(error);
  OpenSocket(socket_, endpoint.protocol(), error);
  if (error) return Finish(Explain(error));

  const auto addresses_left = static_cast<int>(addresses_.size() - index);
  if (deadline_ != kNever && addresses_left > 1) {
    const MonotonicTime now = BootClock::now();
    GiveUpAt(now + (deadline_ - now) / addresses_left);
  }
  socket_.async_connect(endpoint, [self = shared_from_this(), index](const boost::system::error_code& failure) {
    self->attempt_timer_.cancel();
    if (self->stage_ != Stage::kConnecting) return;
    if (!failure) return self->Handshake();
    if (index + 1 < self->addresses_.size()) return self->TryAddress(index + 1);
    self->Finish(self->Explain(failure));
  });
}

// Ends this attempt only: the next address is tried.
void Stream::GiveUpAt(MonotonicTime time) {
  attempt_timer_.expires_at(time);
  attempt_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto self = weak.lock();
    boost::system::error_code ignored;
    if (!cancelled && self && self->stage_ == Stage::kConnecting) self->socket_.close(ignored);
  });
}

void Stream::Handshake() {
  if (!tls_) return Finish(std::monostate());
  stage_ = Stage::kHandshake;
  verdict_ = std::make_shared<TlsVerdict>();
  tls_context_.emplace(tls_->Share());
  tls_stream_.emplace(socket_, *tls_context_);
  tls_->Prepare(tls_stream_->native_handle(), server_.host, verdict_);
  tls_stream_->async_handshake(boost::asio::ssl::stream_base::client,
                               [self = shared_from_this()](const boost::system::error_code& error) {
                                 if (self->stage_ != Stage::kHandshake) return;
                                 self->Finish(error ? Status(self->Explain(error)) : Status(std::monostate()));
                               });
}

void Stream::Finish(Status status) {
  if (status) {
    stage_ = Stage::kConnected;
  } else {
    Close();
  }
  if (const auto done = std::exchange(connected_, nullptr)) done(std::move(status));
}

void Stream::ExpireAt(MonotonicTime deadline) {
  deadline_ = deadline;
  deadline_timer_.cancel();
  if (deadline == kNever) return;
  deadline_timer_.expires_at(deadline);
  deadline_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto self = weak.lock();
    // The handler may be on its way already when the deadline is moved.
    if (cancelled || !self || BootClock::now() < self->deadline_ || self->stage_ == Stage::kClosed) return;
    self->expired_ = true;
    const Stage reached = self->stage_;
    Error error = self->Explain({});
    self->Close();
    if (reached != Stage::kConnected) self->Finish(std::move(error));
  });
}

void Stream::Close() {
  stage_ = Stage::kClosed;
  lookup_.reset();
  attempt_timer_.cancel();
  deadline_timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

Error Stream::Explain(const boost::system::error_code& error) const {
  const std::string server = ToString(server_);
  if (expired_) {
    switch (stage_) {
      case Stage::kLookup:
        return {ErrorCode::kTimeout, "no name server answered for " + server_.host + " before the deadline", {}};
      case Stage::kConnecting:
        return {ErrorCode::kTimeout, "cannot connect to " + server + " before the deadline", {}};
      case Stage::kHandshake:
        return {ErrorCode::kTimeout, "no TLS handshake with " + server + " before the deadline", {}};
      default:
        return {ErrorCode::kTimeout, "no answer from " + server + " before the deadline", {}};
    }
  }
  const std::string refusal = verdict_ ? verdict_->cause() : "";
  const std::string cause = refusal.empty() ? DescribeFailure(error) : refusal;
  if (stage_ == Stage::kConnecting) return {ErrorCode::kUnknown, "cannot connect to " + server + ": " + cause, {}};
  if (stage_ == Stage::kHandshake) return {ErrorCode::kUnknown, "no TLS with " + server + ": " + cause, {}};
  return {ErrorCode::kUnknown, server + ": " + cause, {}};
}

bool Stream::IsStale() { return !socket_.is_open() || HasUnexpectedInput(socket_.native_handle()); }

}  // namespace leaderelection::net

#include "http/exchange.h"

#include <utility>

#include "http/request_check.h"

namespace leaderelection::http {
namespace {

// Beyond this a silence is endless, and adding it to a time could overflow.
constexpr std::chrono::hours kEndlessSilence{24 * 365};

Error Unknown(std::string message) { return Error{ErrorCode::kUnknown, std::move(message), std::nullopt}; }
Error Timeout(std::string message) { return Error{ErrorCode::kTimeout, std::move(message), std::nullopt}; }

}  // namespace

Exchange::Exchange(Origin origin, Request request, Done done)
    : io_(origin.io),
      server_(std::move(origin.server)),
      siblings_(std::move(origin.siblings)),
      request_(std::move(request)),
      is_stream_(false),
      done_(std::move(done)) {}

Exchange::Exchange(Origin origin, Request request, std::chrono::milliseconds silence, StreamEvents events)
    : io_(origin.io),
      server_(std::move(origin.server)),
      siblings_(std::move(origin.siblings)),
      request_(std::move(request)),
      is_stream_(true),
      silence_(silence),
      events_(std::move(events)) {}

void Exchange::Start() {
  if (over_) return;
  if (Status sound = CheckRequest(request_); !sound) return Fail(sound.error());
  if (BootClock::now() >= request_.deadline)
    return Fail(Timeout("the deadline had passed before anything was sent to " + ToString(server_)));
  if (request_.stop.stop_requested()) return Break("stopped before anything was sent");
  // Posts only: whoever requests the stop must not end up in the caller's code.
  on_stop_.emplace(request_.stop, [this, weak = weak_from_this()] {
    io_.Post([weak] {
      if (const auto self = weak.lock()) self->Break("stopped");
    });
  });
  Begin();
}

void Exchange::Break(const std::string& why) { Fail(Unknown(ToString(server_) + ": " + why)); }

void Exchange::Drop() {
  dropped_ = true;
  Conclude();
}

void Exchange::TakeHead(Response head, std::optional<std::uint64_t> length) {
  if (over_) return;
  response_ = std::move(head);
  has_head_ = true;
  if (passes_pieces_on()) {
    ExpectMore();
    if (events_.on_response) events_.on_response(response_);
  } else if (length && *length > request_.largest_reply) {
    FailAsTooLarge();
  }
}

void Exchange::TakePiece(std::string_view piece) {
  if (over_ || piece.empty()) return;
  if (passes_pieces_on()) {
    ExpectMore();
    if (events_.on_piece) events_.on_piece(piece);
  } else if (piece.size() > request_.largest_reply - response_.body.size()) {
    FailAsTooLarge();
  } else {
    response_.body += piece;
  }
}

void Exchange::TakeEnd() {
  whole_ = true;
  const bool has_told_head = passes_pieces_on();
  if (!Conclude()) return;
  if (!is_stream_) {
    if (const auto done = std::exchange(done_, nullptr)) done(std::move(response_));
    return;
  }
  if (!has_told_head && events_.on_response) events_.on_response(response_);
  if (!dropped_ && events_.on_end) events_.on_end(std::monostate());
}

void Exchange::Fail(Error error) {
  if (error.code == ErrorCode::kTimeout && has_head_ && passes_pieces_on())
    error.message = "nothing came from " + ToString(server_) + " for " + std::to_string(silence_.count()) + " ms";
  if (!Conclude()) return;
  if (!is_stream_) {
    if (const auto done = std::exchange(done_, nullptr)) done(std::move(error));
  } else if (events_.on_end) {
    events_.on_end(std::move(error));
  }
}

void Exchange::ExpectMore() { ExpireAt(silence_ > kEndlessSilence ? kNever : BootClock::now() + silence_); }

void Exchange::FailAsTooLarge() {
  Break("the reply is larger than " + std::to_string(request_.largest_reply) + " bytes");
}

bool Exchange::Conclude() {
  if (std::exchange(over_, true)) return false;
  on_stop_.reset();
  Release();
  if (const auto siblings = siblings_.lock()) siblings->Forget(shared_from_this());
  return true;
}

void Exchanges::Start(net::IoThread& io, const std::shared_ptr<Exchange>& exchange) {
  {
    const std::lock_guard lock(mutex_);
    under_way_.insert(exchange);
  }
  io.Post([exchange] { exchange->Start(); });
}

void Exchanges::BreakAll() {
  while (true) {
    std::shared_ptr<Exchange> exchange;
    {
      const std::lock_guard lock(mutex_);
      if (under_way_.empty()) return;
      exchange = *under_way_.begin();
    }
    exchange->Break("the client was closed");
  }
}

void Exchanges::Forget(const std::shared_ptr<Exchange>& exchange) {
  const std::lock_guard lock(mutex_);
  under_way_.erase(exchange);
}

}  // namespace leaderelection::http

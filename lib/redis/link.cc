#include "redis/link.h"

#include <algorithm>
#include <utility>

namespace leaderelection::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortestBackOff = 20ms;
constexpr auto kLongestBackOff = 1000ms;
// A connection that lasted this long was a good one.
constexpr auto kGoodConnection = 1s;
constexpr auto kDeadSilence = 500ms;
// More than any program has elections; a queue without a bound would hide that nobody serves it.
constexpr std::size_t kMostWaiting = 100'000;

}  // namespace

Link::Link(boost::asio::io_context& context, std::shared_ptr<Finder> finder, LinkSettings settings, LinkEvents events)
    : context_(context),
      finder_(std::move(finder)),
      settings_(std::move(settings)),
      events_(std::move(events)),
      timer_(context),
      random_(std::random_device()()) {}

void Link::Send(std::vector<RequestPtr> requests) {
  const auto refuse = [&requests](const Error& error) {
    for (const RequestPtr& request : requests) request->Finish(error);
  };
  if (state_ == State::kClosed) return refuse({ErrorCode::kUnknown, "Redis: the client was closed", std::nullopt});
  if (requests.front()->deadline <= BootClock::now())
    return refuse({ErrorCode::kTimeout, "Redis: the deadline had passed before it was sent", std::nullopt});
  if (waiting_.size() >= kMostWaiting)
    return refuse({ErrorCode::kThrottled, "Redis: too many requests wait for a connection", std::nullopt});
  for (const RequestPtr& request : requests) {
    request->StartTimer([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->CheckAlive();
    });
  }
  if (state_ == State::kUp) {
    for (const RequestPtr& request : requests) Put(request);
    return;
  }
  waiting_.push_back(std::move(requests));
  Pursue();
}

void Link::Put(const RequestPtr& request) { connection_->Send(request); }

// One answer that does not come may be the server's affair. Silence since it was asked for is the connection's; but a
// caller in a great hurry does not break it for the others.
void Link::CheckAlive() {
  if (state_ != State::kUp || connection_->Silence() < kDeadSilence) return;
  Reset({ErrorCode::kUnknown, "Redis " + ToString(connection_->server()) + " does not answer", std::nullopt});
}

void Link::KeepUp(bool wanted) {
  wanted_ = wanted;
  Pursue();
}

bool Link::LeadsElsewhereThan(const net::Endpoint& server) const {
  return is_up() && ToString(connection_->server()) != ToString(server);
}

void Link::Pursue() {
  if (state_ != State::kDown || (!wanted_ && waiting_.empty())) return;
  if (BootClock::now() >= next_attempt_) return Connect();
  if (std::exchange(resting_, true)) return;
  timer_.expires_at(next_attempt_);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto self = weak.lock();
    if (cancelled || !self) return;
    self->resting_ = false;
    self->Pursue();
  });
}

void Link::Connect() {
  state_ = State::kConnecting;
  const MonotonicTime deadline = BootClock::now() + settings_.connect_timeout;
  finder_->Find(deadline, [weak = weak_from_this(), deadline](const Result<net::Endpoint>& found) {
    const auto self = weak.lock();
    if (!self || self->state_ != State::kConnecting) return;
    if (!found) return self->Failed(found.error());
    self->ConnectTo(*found, deadline);
  });
}

// The TLS files are read again for each connection, so that renewed certificates are found.
void Link::ConnectTo(const net::Endpoint& server, MonotonicTime deadline) {
  std::shared_ptr<const net::TlsContext> tls;
  if (settings_.tls) {
    auto made = net::TlsContext::Make(*settings_.tls);
    if (!made) return Failed(made.error());
    tls = std::move(made).value();
  }
  connection_ = std::make_shared<Connection>(context_, server, std::move(tls));
  const auto introduced = [weak = weak_from_this(), connection = connection_.get()](const Status& status) {
    const auto self = weak.lock();
    if (self && self->connection_.get() == connection) self->Introduced(status);
  };
  connection_->Open(
      deadline, [weak = weak_from_this(), connection = connection_.get(), introduced, deadline](const Status& opened) {
        const auto self = weak.lock();
        if (!self || self->connection_.get() != connection) return;
        if (!opened) return introduced(opened);
        Introduce(self->context_, self->connection_, self->settings_.login, deadline, introduced);
      });
}

void Link::Introduced(const Status& status) {
  if (!status) return Failed(status.error());
  state_ = State::kUp;
  up_since_ = BootClock::now();
  connection_->OnEnded([weak = weak_from_this()](const Error& why) {
    if (const auto self = weak.lock()) self->Failed(why);
  });
  if (events_.on_message) {
    connection_->OnMessage([weak = weak_from_this()](const Reply& message) {
      if (const auto self = weak.lock()) self->events_.on_message(message);
    });
  }
  for (const auto& requests : std::exchange(waiting_, {})) {
    // A group of which a part is answered already would no longer be what was asked for.
    if (std::any_of(requests.begin(), requests.end(), [](const RequestPtr& r) { return r->finished(); })) {
      for (const auto& request : requests)
        request->Finish(Error{ErrorCode::kTimeout, "Redis: no connection before the deadline", std::nullopt});
      continue;
    }
    for (const RequestPtr& request : requests) Put(request);
  }
  if (events_.on_up) events_.on_up();
}

void Link::Failed(const Error& why) {
  const auto self = shared_from_this();
  const auto connection = std::exchange(connection_, nullptr);
  const auto waiting = std::exchange(waiting_, {});
  const bool was_good = state_ == State::kUp && BootClock::now() - up_since_ >= kGoodConnection;
  state_ = State::kDown;
  if (was_good) back_off_ = 0ms;
  BackOff();
  if (connection) connection->Close(why);
  for (const auto& requests : waiting) {
    for (const RequestPtr& request : requests) request->Finish(why);
  }
  if (events_.on_down) events_.on_down(why);
  Pursue();
}

void Link::BackOff() {
  back_off_ = std::clamp<std::chrono::milliseconds>(2 * back_off_, kShortestBackOff, kLongestBackOff);
  std::uniform_real_distribution<double> jitter(0.5, 1.0);
  next_attempt_ = BootClock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(back_off_ * jitter(random_));
}

void Link::Reset(const Error& why) {
  if (state_ == State::kUp) Failed(why);
}

void Link::Close() {
  const Error why{ErrorCode::kUnknown, "Redis: the client was closed", std::nullopt};
  const auto self = shared_from_this();
  const auto connection = std::exchange(connection_, nullptr);
  const auto waiting = std::exchange(waiting_, {});
  state_ = State::kClosed;
  timer_.cancel();
  if (connection) connection->Close(why);
  for (const auto& requests : waiting) {
    for (const RequestPtr& request : requests) request->Finish(why);
  }
}

}  // namespace leaderelection::redis

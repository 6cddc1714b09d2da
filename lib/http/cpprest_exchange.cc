#include "http/cpprest_exchange.h"

#include <algorithm>
#include <utility>

#include "http/cpprest_process.h"

namespace leaderelection::http {
namespace {

Response HeadOf(const web::http::http_response& message) {
  Response head;
  head.status = message.status_code();
  for (const auto& [name, value] : message.headers()) head.headers.emplace_back(name, value);
  return head;
}

std::optional<std::uint64_t> LengthOf(const web::http::http_response& message) {
  std::uint64_t length = 0;
  if (!message.headers().match(web::http::header_names::content_length, length)) return std::nullopt;
  return length;
}

}  // namespace

struct CpprestExchange::Bridge {
  std::weak_ptr<net::IoThread> io;
  std::weak_ptr<CpprestExchange> exchange;

  // Runs the task with the exchange on the I/O thread, unless either is gone or the exchange over.
  template <class Task>
  void Carry(Task task) const {
    const auto thread = io.lock();
    if (!thread) return;
    thread->Post([exchange = exchange, task = std::move(task)]() mutable {
      const auto self = exchange.lock();
      if (self && !self->is_over()) task(*self);
    });
  }

  void OnResponse(const pplx::task<web::http::http_response>& result) const {
    try {
      const web::http::http_response message = result.get();
      Carry([head = HeadOf(message), length = LengthOf(message)](CpprestExchange& to) mutable {
        to.OnHead(std::move(head), length);
      });
      message.content_ready().then(
          [bridge = *this](const pplx::task<web::http::http_response>& content) { bridge.OnContent(content); });
    } catch (...) {
      Carry([failure = std::current_exception()](CpprestExchange& to) { to.OnFailure(failure); });
    }
  }

  void OnContent(const pplx::task<web::http::http_response>& content) const {
    try {
      content.get();
      Carry([](CpprestExchange& to) { to.TakeEnd(); });
    } catch (...) {
      Carry([failure = std::current_exception()](CpprestExchange& to) { to.OnFailure(failure); });
    }
  }
};

void CpprestExchange::Begin() {
  ExpireAt(request().deadline);
  if (CpprestProcess::Get().is_ending()) return Break("the process is ending");
  upstream_ = upstreams_->Find(request().tls);
  if (upstream_) return Send();
  LookUp();
}

void CpprestExchange::LookUp() {
  has_looked_up_ = true;
  const auto found = [weak = weak_from_this()](Result<net::Addresses> addresses) {
    const auto exchange = weak.lock();
    if (!exchange) return;
    auto& self = static_cast<CpprestExchange&>(*exchange);
    self.lookup_.reset();
    if (self.is_over()) return;
    if (!addresses) return self.Fail(addresses.error());
    self.addresses_ = std::move(addresses).value();
    std::stable_partition(self.addresses_.begin(), self.addresses_.end(), [](const auto& a) { return a.is_v4(); });
    // Someone else may have found it meanwhile.
    self.upstream_ = self.upstreams_->Find(self.request().tls);
    if (self.upstream_) return self.Send();
    self.TryAddress(0);
  };
  lookup_ = std::make_unique<net::Lookup>(io().context(), server().host, found);
}

void CpprestExchange::TryAddress(std::size_t index) {
  next_address_ = index + 1;
  try {
    upstream_ = std::make_shared<CpprestUpstream>(server(), addresses_[index], request().tls);
  } catch (const std::exception&) {
    return Break("cpprestsdk cannot connect to such an address");
  }
  upstreams_->Keep(upstream_);
  Send();
}

void CpprestExchange::Send() {
  const Bridge bridge{weak_io_, self()};
  const auto take = [bridge](std::string_view piece) {
    bridge.Carry([piece = std::string(piece)](CpprestExchange& to) { to.OnPiece(piece); });
  };
  try {
    upstream_->Send(request(), take, cancellation_.get_token())
        .then([bridge](const pplx::task<web::http::http_response>& result) { bridge.OnResponse(result); });
  } catch (const std::exception&) {
    Fail(Error{ErrorCode::kInvalid, "cpprestsdk cannot write the request's target or a header", std::nullopt});
  }
}

void CpprestExchange::OnHead(Response head, std::optional<std::uint64_t> length) {
  has_head_ = true;
  if (head.status < 200) return Break("the server answered with the interim status " + std::to_string(head.status));
  TakeHead(std::move(head), length);
  TakePiece(std::exchange(early_, {}));
}

void CpprestExchange::OnPiece(std::string_view piece) {
  if (has_head_) return TakePiece(piece);
  early_ += piece;
}

void CpprestExchange::OnFailure(const std::exception_ptr& failure) {
  if (CpprestUpstream::WasUnsent(failure)) return Send();  // On another: each time there is one less, so it ends.
  Error error = upstream_->Explain(failure);
  const bool has_connected = !error.message.starts_with("cannot connect");
  if (!has_connected) upstreams_->Forget(upstream_);
  if (!has_connected && next_address_ < addresses_.size()) return TryAddress(next_address_);
  if (!has_connected && !has_looked_up_) return LookUp();
  Fail(std::move(error));
}

void CpprestExchange::ExpireAt(MonotonicTime time) {
  expires_ = time;
  timer_.cancel();
  if (time == kNever) return;
  timer_.expires_at(time);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto exchange = weak.lock();
    if (cancelled || !exchange) return;
    auto& self = static_cast<CpprestExchange&>(*exchange);
    // The handler may be on its way already when the time is moved.
    if (self.is_over() || BootClock::now() < self.expires_) return;
    if (self.upstream_ && !self.has_head_) self.upstreams_->Forget(self.upstream_);  // Its name may have moved.
    const std::string server = ToString(self.server());
    self.Fail({ErrorCode::kTimeout,
               self.lookup_ ? "no name server answered for " + self.server().host + " before the deadline"
                            : "no answer from " + server + " before the deadline",
               std::nullopt});
  });
}

void CpprestExchange::Release() {
  timer_.cancel();
  lookup_.reset();
  if (!is_whole()) cancellation_.cancel();
}

}  // namespace leaderelection::http

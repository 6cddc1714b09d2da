// One request and its reply by way of cpprestsdk.

#pragma once

#include <pplx/pplxtasks.h>

#include <memory>
#include <string>

#include "http/cpprest_upstream.h"
#include "http/exchange.h"
#include "net/lookup.h"
#include "net/timer.h"

namespace leaderelection::http {

// cpprestsdk works on threads of its own; what it brings is carried over to the I/O thread, and what comes after the
// end is dropped there. It has no deadline, so there is a timer here; its look-up of names blocks a thread that cannot
// be broken off, so the name is looked up here.
class CpprestExchange : public Exchange {
 public:
  template <class... Audience>
  CpprestExchange(std::shared_ptr<CpprestUpstreams> upstreams, std::weak_ptr<net::IoThread> weak_io, Origin origin,
                  Request request, Audience... audience)
      : Exchange(std::move(origin), std::move(request), std::move(audience)...),
        upstreams_(std::move(upstreams)),
        weak_io_(std::move(weak_io)),
        timer_(io().context()) {}

 private:
  // What happens on cpprestsdk's threads; it may outlive the exchange, the client and the I/O thread.
  struct Bridge;

  void Begin() override;
  void ExpireAt(MonotonicTime time) override;
  void Release() override;

  std::shared_ptr<CpprestExchange> self() { return std::static_pointer_cast<CpprestExchange>(shared_from_this()); }
  void LookUp();
  void TryAddress(std::size_t index);
  void Send();
  void OnHead(Response head, std::optional<std::uint64_t> length);
  void OnPiece(std::string_view piece);
  void OnFailure(const std::exception_ptr& failure);

  const std::shared_ptr<CpprestUpstreams> upstreams_;
  const std::weak_ptr<net::IoThread> weak_io_;
  net::Timer timer_;
  MonotonicTime expires_ = kNever;
  std::unique_ptr<net::Lookup> lookup_;
  bool has_looked_up_ = false;
  net::Addresses addresses_;
  std::size_t next_address_ = 0;
  std::shared_ptr<CpprestUpstream> upstream_;
  pplx::cancellation_token_source cancellation_;
  bool has_head_ = false;
  std::string early_;  // pieces that came before the head, by another thread
};

}  // namespace leaderelection::http

// One request and its reply on a connection of our own, read by Boost.Beast's parser.

#pragma once

#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <memory>
#include <optional>

#include "http/connection_pool.h"
#include "http/exchange.h"
#include "net/stream.h"

namespace leaderelection::http {

class BeastExchange : public Exchange {
 public:
  template <class... Audience>
  BeastExchange(std::shared_ptr<ConnectionPool> pool, Origin origin, Request request, Audience... audience)
      : Exchange(std::move(origin), std::move(request), std::move(audience)...), pool_(std::move(pool)) {}

 private:
  void Begin() override;
  void ExpireAt(MonotonicTime time) override { stream_->ExpireAt(time); }
  void Release() override;

  std::shared_ptr<BeastExchange> self() { return std::static_pointer_cast<BeastExchange>(shared_from_this()); }
  void Write();
  void ReadHead();
  void ReadBody();
  void FailBy(const boost::system::error_code& error);

  const std::shared_ptr<ConnectionPool> pool_;
  std::shared_ptr<net::Stream> stream_;
  net::Secret wire_;  // the request as it is sent, its token included
  bool is_written_ = false;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::buffer_body>> parser_;
  std::array<char, 16384> piece_;
};

}  // namespace leaderelection::http

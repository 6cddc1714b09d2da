// One address of the server, as cpprestsdk's http_client talks to it.

#pragma once

#include <cpprest/http_client.h>

#include <boost/asio/ip/address.hpp>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <string_view>

#include "http/client.h"
#include "net/endpoint.h"
#include "net/tls.h"

namespace leaderelection::http {

// An http_client for one TLS context, with its own pool of connections. Thread-safe.
class CpprestUpstream {
 public:
  CpprestUpstream(const net::Endpoint& server, const boost::asio::ip::address& address,
                  std::shared_ptr<const net::TlsContext> tls);

  // Nothing in it can be sent twice. `take` gets the pieces of the reply's body.
  pplx::task<web::http::http_response> Send(const Request& request, std::function<void(std::string_view)> take,
                                            const pplx::cancellation_token& token);

  // Whether no byte of the request was written, for the connection was closed while it was idle: it may be sent again.
  static bool WasUnsent(const std::exception_ptr& failure);
  // What cpprestsdk threw, in words for a person.
  [[nodiscard]] Error Explain(const std::exception_ptr& failure) const;

  [[nodiscard]] const std::shared_ptr<const net::TlsContext>& tls() const { return tls_; }

 private:
  web::http::client::http_client_config Config() const;

  const net::Endpoint server_;
  const std::shared_ptr<const net::TlsContext> tls_;
  const std::shared_ptr<net::TlsVerdict> verdict_ = std::make_shared<net::TlsVerdict>();
  web::http::client::http_client client_;
};

// The upstreams that work: the next request needs no look-up and finds connections. Lives on the I/O thread.
class CpprestUpstreams {
 public:
  [[nodiscard]] std::shared_ptr<CpprestUpstream> Find(const std::shared_ptr<const net::TlsContext>& tls) const;
  void Keep(const std::shared_ptr<CpprestUpstream>& upstream);
  void Forget(const std::shared_ptr<CpprestUpstream>& upstream);
  void ForgetAll() { upstreams_.clear(); }

 private:
  std::list<std::shared_ptr<CpprestUpstream>> upstreams_;  // the one kept last comes first
};

}  // namespace leaderelection::http

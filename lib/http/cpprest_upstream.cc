#include "http/cpprest_upstream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "http/cpprest_buffer.h"
#include "net/failure.h"
#include "net/socket.h"

namespace leaderelection::http {
namespace {

using boost::asio::ip::tcp;
using web::http::http_request;

// A certificate's rotation leaves the old context in use for a while, and that is all there is ever need for.
constexpr std::size_t kMostUpstreams = 4;

// cpprestsdk cannot connect to an address of version 6, only to a name that stands for one.
web::uri BaseOf(const net::Endpoint& server, const boost::asio::ip::address& address, bool is_tls) {
  const std::string host = address.is_v4() ? address.to_string() : server.host;
  return web::uri((is_tls ? "https://" : "http://") + ToString(net::Endpoint{host, server.port}));
}

// Thrown into cpprestsdk before it writes on a connection that the server has closed meanwhile.
struct StaleConnection : std::runtime_error {
  StaleConnection() : std::runtime_error("the connection was closed while it was idle") {}
};

void RefuseIfStale(tcp::socket& socket) {
  if (socket.is_open() && net::HasUnexpectedInput(socket.native_handle())) throw StaleConnection();
}

Error Unknown(std::string message) { return Error{ErrorCode::kUnknown, std::move(message), std::nullopt}; }

// cpprestsdk gives the number of an error without its kind; OpenSSL's are larger than any of the system's.
bool IsOpenSslError(int value) { return ERR_GET_LIB(static_cast<unsigned long>(value)) != 0; }

// An error of another part of OpenSSL is one that verifying the certificate has met with.
bool IsRefusal(int value) {
  const auto error = static_cast<unsigned long>(value);
  return IsOpenSslError(value) &&
         (ERR_GET_LIB(error) != ERR_LIB_SSL || ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED);
}

std::string Cause(int value, const std::string& if_closed) {
  if (IsOpenSslError(value)) {
    const std::string cause = net::DescribeTlsFailure(static_cast<unsigned long>(value));
    return cause == "connection closed by the server" ? if_closed : cause;
  }
  switch (value) {
    case 0:
    case 1:             // TLS: cut off without a closing word
    case 2:             // Asio: end of file
    case ECONNABORTED:  // what cpprestsdk makes of it
      return if_closed;
    case EPIPE:
    case ECONNRESET:
      return "connection reset by the server";
    default:
      return net::DescribeFailure({value, boost::system::system_category()});
  }
}

}  // namespace

CpprestUpstream::CpprestUpstream(const net::Endpoint& server, const boost::asio::ip::address& address,
                                 std::shared_ptr<const net::TlsContext> tls)
    : server_(server), tls_(std::move(tls)), client_(BaseOf(server, address, tls_ != nullptr), Config()) {}

web::http::client::http_client_config CpprestUpstream::Config() const {
  web::http::client::http_client_config config;
  config.set_max_redirects(0);
  // It begins anew with every byte, so it is no deadline. The exchange has one of its own.
  config.set_timeout(std::chrono::hours(24 * 365));
  if (!tls_) {
    config.set_nativehandle_options([](void* socket) { RefuseIfStale(*static_cast<tcp::socket*>(socket)); });
    return config;
  }
  // The context brings its own verification, which the callback that cpprestsdk sets on a connection cannot overrule.
  config.set_validate_certificates(tls_->verifies());
  config.set_tlsext_sni_enabled(false);  // Prepare asks for the name.
  config.set_ssl_context_callback([tls = tls_](boost::asio::ssl::context& context) { context = tls->Share(); });
  config.set_nativehandle_options([tls = tls_, verdict = verdict_, host = server_.host](void* handle) {
    auto& stream = *static_cast<boost::asio::ssl::stream<tcp::socket&>*>(handle);
    if (!stream.next_layer().is_open()) return tls->Prepare(stream.native_handle(), host, verdict);
    RefuseIfStale(stream.next_layer());
  });
  return config;
}

pplx::task<web::http::http_response> CpprestUpstream::Send(const Request& request,
                                                           std::function<void(std::string_view)> take,
                                                           const pplx::cancellation_token& token) {
  const web::uri target(request.target);
  // It takes targets apart and puts them together again; what does not survive that would ask for something else.
  if (web::uri_builder(client_.base_uri()).append(target).to_uri().resource().to_string() != request.target)
    throw std::invalid_argument("cpprestsdk changes the target");
  http_request message(request.method);
  message.set_request_uri(target);
  using concurrency::streams::streambuf;
  message.set_body(streambuf<std::uint8_t>(MakeBodySource(request.body)).create_istream(), request.body.size());
  message.headers().remove(web::http::header_names::content_type);  // which set_body has made up
  message.headers().add(web::http::header_names::host, ToString(server_));
  for (const auto& [name, value] : request.headers) message.headers().add(name, value);
  if (!request.bearer_token.empty())
    message.headers().add(web::http::header_names::authorization, "Bearer " + request.bearer_token.Reveal());
  message.set_response_stream(streambuf<std::uint8_t>(MakeBodySink(std::move(take))).create_ostream());
  return client_.request(message, token);
}

bool CpprestUpstream::WasUnsent(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const StaleConnection&) {
    return true;
  } catch (const web::http::http_exception& thrown) {
    // It leaves connections that never were open in its pool when it gives up sending a request again.
    const int value = thrown.error_code().value();
    const bool never_open =
        value == EBADF ||
        (IsOpenSslError(value) && ERR_GET_REASON(static_cast<unsigned long>(value)) == SSL_R_UNINITIALIZED);
    return never_open && std::string_view(thrown.what()) == "Failed to write request headers";
  } catch (...) {
    return false;
  }
}

Error CpprestUpstream::Explain(const std::exception_ptr& failure) const {
  const std::string server = ToString(server_);
  try {
    std::rethrow_exception(failure);
  } catch (const web::http::http_exception& thrown) {
    // The texts are cpprestsdk's own; nothing that anyone sent is in them.
    const std::string what = thrown.what();
    const int value = thrown.error_code().value();
    const auto says = [&](std::string_view part) { return what.find(part) != std::string::npos; };
    if (says("connect to any") || says("resolv")) {
      // cpprestsdk calls a refused connection an unreachable host.
      return Unknown("cannot connect to " + server + ": " +
                     (value == EHOSTUNREACH ? "connection refused, or host unreachable" : Cause(value, what)));
    }
    if (says("SSL handshake")) {
      const std::string refusal = IsRefusal(value) ? verdict_->cause() : "";
      return Unknown("no TLS with " + server + ": " +
                     (refusal.empty() ? Cause(value, "connection closed by the server") : refusal));
    }
    if (says("Invalid")) return Unknown(server + ": no well-formed HTTP reply (" + what + ")");
    if (says("write"))
      return Unknown(server + ": " + Cause(value == EHOSTUNREACH ? EPIPE : value, "connection closed"));
    if (says("status line") || says("rewind"))
      return Unknown(server + ": " + Cause(value, "connection closed by the server before it answered"));
    return Unknown(server + ": " + Cause(value, "connection closed by the server amid its reply"));
  } catch (...) {
    return Unknown(server + ": no well-formed HTTP reply");
  }
}

std::shared_ptr<CpprestUpstream> CpprestUpstreams::Find(const std::shared_ptr<const net::TlsContext>& tls) const {
  for (const auto& upstream : upstreams_) {
    if (upstream->tls() == tls) return upstream;
  }
  return nullptr;
}

void CpprestUpstreams::Keep(const std::shared_ptr<CpprestUpstream>& upstream) {
  Forget(upstream);
  upstreams_.push_front(upstream);
  if (upstreams_.size() > kMostUpstreams) upstreams_.pop_back();
}

void CpprestUpstreams::Forget(const std::shared_ptr<CpprestUpstream>& upstream) { upstreams_.remove(upstream); }

}  // namespace leaderelection::http

#include "admin/http_server.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

namespace leaderelection {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kKnockEvery(10);

void InitCivetWebOnce() {
  static std::once_flag once;
  std::call_once(once, [] { mg_init_library(0); });
}

// CivetWeb's threads inherit the mask: the program's signals are left to the program's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

bool IsIpAddress(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

bool IsThisHost(std::string_view remote) {
  constexpr std::string_view kMapped = "::ffff:";
  if (remote.starts_with(kMapped)) remote.remove_prefix(kMapped.size());
  return remote.starts_with("127.") || remote == "::1";
}

std::string Joined(const HostAndPort& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + address.port;
}

// Connects and leaves. An address that stands for all of the host's is reached by loopback.
void Knock(const HostAndPort& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  const std::string host = address.host == "0.0.0.0" ? "127.0.0.1" : address.host == "::" ? "::1" : address.host;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), address.port.c_str(), &hints, &found) != 0) return;
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket >= 0) {
    [[maybe_unused]] const int connected = ::connect(socket, found->ai_addr, found->ai_addrlen);
    ::close(socket);
  }
  ::freeaddrinfo(found);
}

HttpRequest ToRequest(const mg_connection* connection) {
  const mg_request_info* info = mg_get_request_info(connection);
  HttpRequest request;
  request.method = info->request_method ? info->request_method : "";
  request.path = info->local_uri ? info->local_uri : "";
  request.query = info->query_string ? info->query_string : "";
  request.from_this_host = IsThisHost(info->remote_addr);
  request.from_browser_page = mg_get_header(connection, "Origin") != nullptr;
  return request;
}

}  // namespace

std::optional<HostAndPort> ParseHostAndPort(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  const bool digits = std::all_of(port.begin(), port.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (port.empty() || port.size() > 5 || !digits || std::stoi(std::string(port)) > 65535) return std::nullopt;
  if (host.starts_with('[') != host.ends_with(']')) return std::nullopt;
  if (host.starts_with('[')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  if (host.empty()) return std::nullopt;
  return HostAndPort{std::string(host), std::string(port)};
}

std::optional<std::string> HttpRequest::Parameter(std::string_view name) const {
  for (std::size_t from = 0; from < query.size();) {
    const std::size_t end = std::min(query.find('&', from), query.size());
    const std::string_view part = std::string_view(query).substr(from, end - from);
    const std::size_t equals = std::min(part.find('='), part.size());
    if (part.substr(0, equals) == name) {
      const std::string_view value = part.substr(std::min(equals + 1, part.size()));
      std::string decoded(value.size() + 1, '\0');
      const int length = mg_url_decode(value.data(), static_cast<int>(value.size()), decoded.data(),
                                       static_cast<int>(decoded.size()), 1);
      decoded.resize(static_cast<std::size_t>(std::max(length, 0)));
      return decoded;
    }
    from = end + 1;
  }
  return std::nullopt;
}

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address, milliseconds request_timeout,
                                                      Handler handler) {
  const auto parsed = ParseHostAndPort(address);
  if (!parsed || !IsIpAddress(parsed->host)) {
    return {ErrorCode::kInvalid, "'" + address + "' is not an IP address and a port, as in 127.0.0.1:8080"};
  }
  InitCivetWebOnce();
  const std::string timeout = std::to_string(request_timeout.count());
  const std::string listen = Joined(*parsed);
  const std::array<const char*, 15> options = {"listening_ports",
                                               listen.c_str(),  //
                                               "num_threads",
                                               "4",  //
                                               "request_timeout_ms",
                                               timeout.c_str(),  //
                                               "max_request_size",
                                               "8192",  //
                                               "enable_keep_alive",
                                               "no",  //
                                               "linger_timeout_ms",
                                               "0",  //
                                               "decode_url",
                                               "yes",  //
                                               nullptr};
  mg_callbacks callbacks{};
  callbacks.begin_request = [](mg_connection* connection) {
    const auto* self = static_cast<const HttpServer*>(mg_get_user_data(mg_get_context(connection)));
    return self->Serve(connection);
  };
  // What it has to say of strangers' requests is of no use to the program.
  callbacks.log_message = [](const mg_connection*, const char*) { return 1; };
  callbacks.log_access = [](const mg_connection*, const char*) { return 1; };

  std::unique_ptr<HttpServer> server(new HttpServer(std::move(handler)));
  std::array<char, 256> text{};
  mg_error_data error{nullptr, text.data(), text.size()};
  mg_init_data init{&callbacks, server.get(), const_cast<const char**>(options.data())};
  {
    const SignalsBlocked blocked;
    errno = 0;
    server->context_ = mg_start2(&init, &error);
  }
  if (server->context_ == nullptr) {
    const bool denied = errno == EACCES || errno == EADDRINUSE || errno == EADDRNOTAVAIL;
    return {denied ? ErrorCode::kDenied : ErrorCode::kUnknown,
            "cannot listen on " + listen + (denied ? ": " + std::generic_category().message(errno) : "")};
  }
  mg_server_port port{};
  if (mg_get_server_ports(server->context_, 1, &port) < 1) return {ErrorCode::kUnknown, "cannot listen on " + listen};
  server->address_ = Joined({parsed->host, std::to_string(port.port)});
  return server;
}

// CivetWeb looks every two seconds whether it is to stop, and whenever someone connects.
HttpServer::~HttpServer() {
  if (context_ == nullptr) return;
  std::mutex mutex;
  std::condition_variable_any never;
  const std::jthread knock([&](const std::stop_token& stopped) {
    std::unique_lock lock(mutex);
    do {
      Knock(*ParseHostAndPort(address_));
    } while (!never.wait_for(lock, stopped, kKnockEvery, [] { return false; }) && !stopped.stop_requested());
  });
  mg_stop(context_);
}

// Nothing is left to CivetWeb, which would look for files.
int HttpServer::Serve(mg_connection* connection) const {
  const HttpRequest request = ToRequest(connection);
  const HttpResponse response = handler_(request);
  mg_printf(connection,
            "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s%s"
            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            response.status, mg_get_response_code_text(connection, response.status), response.content_type.c_str(),
            response.body.size(), response.allow.empty() ? "" : "Allow: ", response.allow.c_str(),
            response.allow.empty() ? "" : "\r\n");
  mg_disable_connection_keep_alive(connection);  // else what is left of the request would be read to its end
  if (request.method != "HEAD") mg_write(connection, response.body.data(), response.body.size());
  return response.status;
}

}  // namespace leaderelection

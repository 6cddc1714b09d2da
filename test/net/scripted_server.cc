#include "net/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace leaderelection::testing {
namespace {

struct Bound {
  int socket;
  std::uint16_t port;
};

Bound Bind(const std::string& address) {
  const bool is_v6 = address.find(':') != std::string::npos;
  const int socket = ::socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage where{};
  socklen_t size = is_v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  where.ss_family = is_v6 ? AF_INET6 : AF_INET;
  void* host = is_v6 ? static_cast<void*>(&reinterpret_cast<sockaddr_in6&>(where).sin6_addr)
                     : static_cast<void*>(&reinterpret_cast<sockaddr_in&>(where).sin_addr);
  ::inet_pton(where.ss_family, address.c_str(), host);
  if (::bind(socket, reinterpret_cast<sockaddr*>(&where), size) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&where), &size) != 0)
    throw std::runtime_error("cannot bind " + address);
  // The port lies at the same place in both kinds of address.
  return {socket, ntohs(reinterpret_cast<sockaddr_in&>(where).sin_port)};
}

SSL_CTX* NewContext(const ServerTls& settings) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_security_level(context, 0);  // To speak TLS 1.1 at all.
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, settings.newest_version);
  const auto read = [](const std::string& pem, auto parse) {
    BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    auto* parsed = parse(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    if (!parsed) throw std::runtime_error("the test's certificate or key cannot be read");
    return parsed;
  };
  X509* certificate = read(settings.identity.certificate, PEM_read_bio_X509);
  EVP_PKEY* key = read(settings.identity.key, PEM_read_bio_PrivateKey);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  if (!settings.client_authority.empty()) {
    X509* authority = read(settings.client_authority, PEM_read_bio_X509);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    X509_free(authority);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

}  // namespace

Conversation::~Conversation() {
  if (tls_) {
    SSL_shutdown(tls_);
    SSL_free(tls_);
  }
}

bool Conversation::Handshake(SSL_CTX* context) {
  tls_ = SSL_new(context);
  SSL_set_fd(tls_, socket_);
  if (SSL_accept(tls_) != 1) {
    SSL_set_quiet_shutdown(tls_, 1);
    return false;
  }
  if (const char* name = SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name)) asked_name_ = name;
  return true;
}

std::string Conversation::Read() {
  char bytes[16384];
  const long size = tls_ ? SSL_read(tls_, bytes, sizeof bytes) : ::recv(socket_, bytes, sizeof bytes, 0);
  return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

bool Conversation::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const long size = tls_ ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                           : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool Conversation::Pause(std::chrono::milliseconds time) { return !server_.AwaitStop(time); }
void Conversation::Hold() { server_.AwaitStop(std::nullopt); }

void Conversation::Swallow() {
  while (!Read().empty()) continue;
}

void Conversation::Reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  if (tls_) SSL_set_quiet_shutdown(tls_, 1);
}

void Conversation::EndUnannounced() {
  if (tls_) SSL_set_quiet_shutdown(tls_, 1);
}

ScriptedServer::ScriptedServer(Options options, Script script)
    : options_(std::move(options)), script_(std::move(script)) {
  if (options_.tls) tls_ = NewContext(*options_.tls);
  const Bound bound = Bind(options_.address);
  listener_ = bound.socket;
  port_ = bound.port;
  ::listen(listener_, 512);
  acceptor_ = std::thread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const Running& running : running_) {
      if (running.socket >= 0) ::shutdown(running.socket, SHUT_RDWR);
    }
  }
  stopping_.notify_all();
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (Running& running : running_) running.thread.join();
  ::close(listener_);
  SSL_CTX_free(tls_);
}

void ScriptedServer::Accept() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (stopped_ || socket < 0) {
      if (socket >= 0) ::close(socket);
      if (stopped_) return;
      continue;
    }
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Running& running = running_.emplace_back();
    running.socket = socket;
    running.thread = std::thread([this, socket, number = ++connections_] { Talk(socket, number); });
  }
}

void ScriptedServer::Talk(int socket, int number) {
  // OpenSSL writes with write(); that our clients never raise the signal must not be hidden by ignoring it altogether.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  {
    Conversation conversation(*this, socket, number);
    if (options_.before_handshake) options_.before_handshake(conversation);
    if (!tls_ || conversation.Handshake(tls_)) script_(conversation);
  }
  Ended(socket);
}

void ScriptedServer::Ended(int socket) {
  const std::lock_guard lock(mutex_);
  for (Running& running : running_) {
    if (running.socket == socket) running.socket = -1;
  }
  ::close(socket);
  ++ended_;
  ending_.notify_all();
}

void ScriptedServer::AwaitEnd(int connections) {
  std::unique_lock lock(mutex_);
  if (!ending_.wait_for(lock, std::chrono::minutes(1), [&] { return ended_ >= connections; }))
    throw std::runtime_error("the connections did not end within a minute");
}

bool ScriptedServer::AwaitStop(std::optional<std::chrono::milliseconds> time) {
  std::unique_lock lock(mutex_);
  const auto stopped = [this] { return stopped_; };
  if (time) return stopping_.wait_for(lock, *time, stopped);
  stopping_.wait(lock, stopped);
  return true;
}

FullBacklog::FullBacklog() {
  const Bound bound = Bind("127.0.0.1");
  port_ = bound.port;
  sockets_.push_back(bound.socket);
  ::listen(bound.socket, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port_);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < 4; ++i) {
    const int filler = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    (void)::connect(filler, reinterpret_cast<sockaddr*>(&where), sizeof where);
    sockets_.push_back(filler);
  }
}

FullBacklog::~FullBacklog() {
  for (const int socket : sockets_) ::close(socket);
}

std::uint16_t RefusingPort() {
  const Bound bound = Bind("127.0.0.1");
  ::close(bound.socket);
  return bound.port;
}

}  // namespace leaderelection::testing

#include "net/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace leaderelection::net {
namespace {

constexpr int kSecondsToFirstProbe = 10;
constexpr int kSecondsBetweenProbes = 5;
constexpr int kProbes = 3;
constexpr int kUnacknowledgedMilliseconds = 20'000;

void Set(int socket, int level, int option, int value) { ::setsockopt(socket, level, option, &value, sizeof value); }

}  // namespace

void OpenSocket(boost::asio::ip::tcp::socket& socket, const boost::asio::ip::tcp& protocol,
                boost::system::error_code& error) {
  const int handle = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (handle < 0) {
    error.assign(errno, boost::system::system_category());
    return;
  }
  socket.assign(protocol, handle, error);
  if (error) {
    ::close(handle);
    return;
  }
  Set(handle, IPPROTO_TCP, TCP_NODELAY, 1);
  Set(handle, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(handle, IPPROTO_TCP, TCP_KEEPIDLE, kSecondsToFirstProbe);
  Set(handle, IPPROTO_TCP, TCP_KEEPINTVL, kSecondsBetweenProbes);
  Set(handle, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  Set(handle, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMilliseconds);
}

bool HasUnexpectedInput(int socket) {
  char byte = 0;
  const ssize_t size = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace leaderelection::net

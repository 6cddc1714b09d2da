#include "admin/http_client.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace leaderelection {

using std::chrono::milliseconds;

HttpConnection::HttpConnection(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &where.sin_addr);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) == 0) return;
  const int error = errno;
  ::close(socket_);
  throw std::system_error(error, std::generic_category(), "connect to " + address);
}

HttpConnection::~HttpConnection() { ::close(socket_); }

bool HttpConnection::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpConnection::HearsWithin(milliseconds time) const {
  pollfd wait{socket_, POLLIN, 0};
  return ::poll(&wait, 1, static_cast<int>(time.count())) > 0;
}

bool HttpConnection::ClosedWithin(milliseconds time) const {
  std::array<char, 4096> part{};
  while (HearsWithin(time)) {
    if (::recv(socket_, part.data(), part.size(), 0) <= 0) return true;
  }
  return false;
}

Answer HttpConnection::Read() const {
  std::string text;
  std::array<char, 4096> part{};
  while (HearsWithin(std::chrono::seconds(30))) {
    const ssize_t got = ::recv(socket_, part.data(), part.size(), 0);
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  Answer answer;
  const std::size_t end = text.find("\r\n\r\n");
  answer.head = text.substr(0, end);
  if (end != std::string::npos) answer.body = text.substr(end + 4);
  if (text.starts_with("HTTP/1.1 ")) answer.status = std::stoi(text.substr(9, 3));
  return answer;
}

Answer Ask(const std::string& address, const std::string& method, const std::string& target,
           const std::string& headers) {
  const HttpConnection connection(address);
  connection.Send(method + " " + target + " HTTP/1.1\r\nHost: " + address + "\r\n" + headers + "\r\n");
  return connection.Read();
}

}  // namespace leaderelection

#include "child/orders.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace leaderelection::command {

namespace {

constexpr std::size_t kLargest = 64UL << 10;

struct Header {
  std::uint32_t kind;
  std::int32_t number;
  std::int64_t time;
};

bool SendPacket(int socket, const Header& header, const std::string& text) {
  std::string packet(sizeof(header), '\0');
  std::memcpy(packet.data(), &header, sizeof(header));
  packet += text;
  return ::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

std::optional<Header> ReceivePacket(int socket, std::string& text) {
  std::string packet(kLargest, '\0');
  ssize_t length = 0;
  do {
    length = ::recv(socket, packet.data(), packet.size(), 0);
  } while (length < 0 && errno == EINTR);
  Header header{};
  if (length < static_cast<ssize_t>(sizeof(header))) return std::nullopt;
  std::memcpy(&header, packet.data(), sizeof(header));
  text = packet.substr(sizeof(header), static_cast<std::size_t>(length) - sizeof(header));
  return header;
}

}  // namespace

bool Send(int socket, const Order& order) {
  return SendPacket(socket,
                    {static_cast<std::uint32_t>(order.kind), order.signal, order.kill_at.time_since_epoch().count()},
                    order.environment);
}

bool Send(int socket, const Report& report) {
  return SendPacket(socket, {static_cast<std::uint32_t>(report.kind), report.status, 0}, "");
}

std::optional<Order> ReceiveOrder(int socket) {
  Order order;
  const auto header = ReceivePacket(socket, order.environment);
  if (!header) return std::nullopt;
  order.kind = static_cast<Order::Kind>(header->kind);
  order.signal = header->number;
  order.kill_at = MonotonicTime(std::chrono::nanoseconds(header->time));
  return order;
}

std::optional<Report> ReceiveReport(int socket) {
  std::string nothing;
  const auto header = ReceivePacket(socket, nothing);
  if (!header) return std::nullopt;
  return Report{static_cast<Report::Kind>(header->kind), header->number};
}

}  // namespace leaderelection::command

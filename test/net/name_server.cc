#include "net/name_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace leaderelection::testing {

NameServer::NameServer(Manner manner, std::vector<std::string> addresses)
    : manner_(manner), addresses_(std::move(addresses)) {
  socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  ::bind(socket_, reinterpret_cast<sockaddr*>(&where), size);
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&where), &size);
  port_ = ntohs(where.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

NameServer::~NameServer() {
  ::shutdown(socket_, SHUT_RDWR);
  thread_.join();
  ::close(socket_);
}

void NameServer::Serve() {
  char bytes[1500];
  while (true) {
    sockaddr_in asker{};
    socklen_t size = sizeof asker;
    const ssize_t count = ::recvfrom(socket_, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&asker), &size);
    if (count <= 0) return;
    if (manner_ == Manner::kSilent || count < 17) continue;
    const std::string answer = Answer(std::string(bytes, static_cast<std::size_t>(count)));
    ::sendto(socket_, answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&asker), size);
  }
}

std::string NameServer::Answer(const std::string& question) const {
  std::size_t end = 12;  // The header; behind it the name, label by label, then type and class.
  while (question[end] != 0) end += static_cast<unsigned char>(question[end]) + 1;
  const bool asks_for_v4 = question[end + 2] == 1;
  std::string answer = question.substr(0, end + 5);
  answer[2] = static_cast<char>(0x81);  // An answer to a question that wished recursion.
  answer[3] = static_cast<char>(manner_ == Manner::kKnowsNothing ? 0x83 : 0x80);
  answer[7] = static_cast<char>(asks_for_v4 && manner_ == Manner::kAnswers ? addresses_.size() : 0);
  answer[8] = answer[9] = answer[10] = answer[11] = 0;
  if (answer[7] == 0) return answer;
  for (const std::string& address : addresses_) {
    in_addr v4{};
    ::inet_pton(AF_INET, address.c_str(), &v4);
    answer += std::string("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4", 12) + std::string(reinterpret_cast<char*>(&v4), 4);
  }
  return answer;
}

}  // namespace leaderelection::testing

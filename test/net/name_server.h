// A name server on the loopback address that knows what a test tells it.

#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace leaderelection::testing {

class NameServer {
 public:
  enum class Manner { kAnswers, kKnowsNothing, kSilent };

  // Every name has these IPv4 addresses, and no others.
  explicit NameServer(Manner manner, std::vector<std::string> addresses = {});
  ~NameServer();

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void Serve();
  [[nodiscard]] std::string Answer(const std::string& question) const;

  const Manner manner_;
  const std::vector<std::string> addresses_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace leaderelection::testing

// Requests to one agent: addressed, with the token, and answered without it.

#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "consul/credentials.h"
#include "http/client.h"
#include "leaderelection/consul_lock.h"
#include "net/io_thread.h"

namespace leaderelection::consul {

struct Call {
  std::string method = "GET";
  std::string path;                                        // "/v1/...", percent-encoded
  std::vector<std::pair<std::string, std::string>> query;  // a name without a value stands alone
  std::string body;
  MonotonicTime deadline = kNever;
  std::stop_token stop;
};

// Thread-safe. All that lives on it runs on its one thread.
class Transport {
 public:
  using Answered = std::function<void(Result<http::Response>)>;

  // May be let go of anywhere, also in a callback of its own. Throws std::invalid_argument, naming every wrong option.
  static std::shared_ptr<Transport> Make(const ConsulOptions& options);

  // `done` is called once, on the I/O thread, never inside Send.
  void Send(Call call, Answered done);

  [[nodiscard]] const std::shared_ptr<net::IoThread>& io() const { return io_; }

 private:
  explicit Transport(const ConsulOptions& options);

  [[nodiscard]] std::string Target(const Call& call) const;

  const std::shared_ptr<net::IoThread> io_;
  const std::string datacenter_;
  const std::string namespace_;
  std::string path_;
  std::unique_ptr<Credentials> credentials_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace leaderelection::consul

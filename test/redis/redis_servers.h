// The real servers of hack/redis.sh, as a test sees them.

#pragma once

#include <string>
#include <vector>

#include "leaderelection/redis_lock.h"
#include "net/certificates.h"

namespace leaderelection::testing {

// Ends the test unless hack/redis.sh can be run: skipped, or failed where servers are promised (CI=true).
void RequireRedis();

std::string UniqueName(const std::string& what);

class RedisServers {
 public:
  // Those that hack/test.sh has started, for tests that leave them as they are. `kind`: "standalone" and so on.
  static RedisServers Shared(const std::string& kind);
  // Servers of the test's own, to be mistreated; they end with the object.
  explicit RedisServers(const std::string& kind);
  RedisServers(RedisServers&& other) noexcept = default;
  ~RedisServers();

  // How the elections' user gets at them. The key prefix is "lock".
  [[nodiscard]] RedisOptions Options() const;
  // What redis-cli prints, called as administrator on one of the servers.
  std::string Cli(const std::string& server, const std::vector<std::string>& words) const;
  // kill, stop, cont or start.
  void Do(const std::string& what, const std::string& server) const;

  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }  // of the servers, host:port
  [[nodiscard]] std::string address(std::size_t index = 0) const { return addresses_.at(index); }
  [[nodiscard]] std::string ca_file() const { return directory_ + "/pki/ca.crt"; }
  [[nodiscard]] std::string DirectoryOf(const std::string& file) const { return directory_ + "/" + file; }

 private:
  RedisServers(std::string kind, std::string directory, const std::string& exports);

  std::string kind_;
  std::string directory_;
  bool is_own_ = false;
  std::unique_ptr<TemporaryFolder> folder_;
  std::vector<std::string> addresses_;
  std::vector<std::string> sentinels_;
};

}  // namespace leaderelection::testing

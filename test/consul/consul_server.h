// The real agent of hack/consul.sh, as a test sees it.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "consul/key_value.h"
#include "consul/read_key.h"
#include "consul/transport.h"
#include "leaderelection/consul_lock.h"
#include "net/certificates.h"

namespace leaderelection::testing {

// Ends the test unless hack/consul.sh can be run: skipped, or failed where servers are promised (CI=true).
void RequireConsul();

class ConsulServer {
 public:
  // The one that hack/test.sh has started, for tests that leave it as it is.
  static ConsulServer Shared();
  // One of the test's own, to be mistreated; it ends with the object.
  ConsulServer();
  ConsulServer(ConsulServer&& other) noexcept = default;
  ~ConsulServer();

  // How the elections' token gets at it, and where its keys lie.
  [[nodiscard]] ConsulOptions Options() const;
  [[nodiscard]] ConsulOptions TlsOptions() const;  // with a client certificate
  [[nodiscard]] std::string UniqueKey() const;

  // restart, kill, stop or cont.
  void Do(const std::string& what) const;
  // A command of Consul's own, as administrator; "exec" before it, to be given to a shell.
  [[nodiscard]] std::string Command(const std::string& arguments) const;

  // What an administrator does.
  http::Response Ask(const std::string& method, const std::string& path, const std::string& body = "") const;
  [[nodiscard]] consul::KeyRead Read(const std::string& key) const;
  void Delete(const std::string& key) const;
  void Put(const std::string& key, const std::string& value, const std::string& query = "") const;
  [[nodiscard]] std::string MakeSession() const;
  void DestroySession(const std::string& id) const;
  [[nodiscard]] bool HasSession(const std::string& id) const;

  [[nodiscard]] std::string File(const std::string& name) const { return directory_ + "/" + name; }
  [[nodiscard]] std::string Content(const std::string& name) const;

 private:
  explicit ConsulServer(std::string directory);
  void Connect();

  std::unique_ptr<TemporaryFolder> folder_;
  std::string directory_;
  std::shared_ptr<consul::Transport> admin_;
};

}  // namespace leaderelection::testing

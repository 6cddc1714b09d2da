// The real API server of the tests (hack/kube-apiserver.sh), as its environment variables describe it.

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "leaderelection/kube_client.h"
#include "leaderelection/lease_lock.h"
#include "leaderelection/log.h"
#include "leaderelection/testing/lock_client.h"

namespace leaderelection::testing {

struct CommandResult {
  int status = 0;
  std::string output;  // standard output and standard error
};

// Runs a shell command.
CommandResult Run(const std::string& command);

class TestCluster {
 public:
  static const TestCluster& Get();

  [[nodiscard]] std::filesystem::path folder() const { return folder_; }
  [[nodiscard]] const std::string& server() const { return server_; }
  [[nodiscard]] const std::string& authority_file() const { return authority_file_; }
  [[nodiscard]] const std::string& name_space() const { return name_space_; }
  [[nodiscard]] const std::string& precreated_lease() const { return precreated_lease_; }

  // A kubeconfig of this user: admin, candidate-0 to -4 (certificates), elector, least, no-watch (token files).
  [[nodiscard]] std::filesystem::path Kubeconfig(const std::string& user) const;
  [[nodiscard]] KubeConfig Config(const std::string& user) const;
  [[nodiscard]] std::shared_ptr<KubeClient> Client(const std::string& user, LogSink log = nullptr) const;
  [[nodiscard]] std::shared_ptr<LeaseLock> Lock(const std::string& user, const std::string& lease,
                                                LogSink log = nullptr) const;
  [[nodiscard]] LockClient Connect(const std::string& user, const std::string& lease, LogSink log = nullptr) const;

  // kubectl as the administrator, in the tests' namespace. Fails the test if it fails.
  std::string Kubectl(const std::string& arguments) const;
  // How often this user has asked for this; a watch counts when it begins.
  [[nodiscard]] int CountInAuditLog(const std::string& user, const std::string& verb) const;
  // hack/kube-apiserver.sh restart, stop, cont, ...
  void Server(const std::string& command) const;

 private:
  TestCluster();

  std::filesystem::path folder_;
  std::string server_;
  std::string authority_file_;
  std::string name_space_;
  std::string precreated_lease_;
  std::string kubectl_;
  std::string script_;
};

// A name that no other test of any run uses.
std::string UniqueLeaseName();

// Without a server it says how to get one, and ends the test: failed where CI is set, else skipped. To be called in the
// constructor or SetUp of a fixture.
void RequireCluster();

// Tests on the real server; each begins without a Lease of its own.
class OnCluster : public ::testing::Test {
 protected:
  void SetUp() override { RequireCluster(); }
  const std::string lease_ = UniqueLeaseName();
};

}  // namespace leaderelection::testing

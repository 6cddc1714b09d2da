// Who we are and whom we trust, on a real API server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "kubernetes/scripted_api.h"
#include "kubernetes/test_cluster.h"
#include "leaderelection/testing/lock_contract.h"
#include "leaderelection/testing/watch_log.h"
#include "net/certificates.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using contract::FailedWith;
using contract::HeldBy;
using contract::Succeeded;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = WatchEvent::Kind;

std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LeaseSecurity : public OnCluster {
 protected:
  KubeConfig ConfigWith(const std::string& cluster, const std::string& user) const {
    const std::string file =
        folder_.Write("config", "clusters:\n- {name: c, cluster: {server: '" + cluster_.server() + "', " + cluster +
                                    "}}\nusers:\n- {name: u, user: {" + user +
                                    "}}\ncontexts:\n- {name: x, context: {cluster: c, user: u}}\ncurrent-context: x\n");
    return *KubeConfig::FromFiles({file});
  }
  LockClient Connect(const KubeConfig& config) const {
    auto client = KubeClient::Make(config, {.log = log_.Sink()});
    if (!client) throw std::runtime_error(client.error().message);
    return {std::make_shared<LeaseLock>(
                *client, LeaseLockOptions{.lease_namespace = cluster_.name_space(), .lease_name = lease_}),
            60s};
  }
  std::string TrustedAuthority() const { return "certificate-authority: " + cluster_.authority_file(); }
  std::string TokenOf(const std::string& account) const {
    return ContentOf(cluster_.folder() / "serviceaccount" / account / "token");
  }
  void ReplaceToken(const std::string& token) const {
    std::filesystem::rename(folder_.Write("token.new", token), folder_.path() / "token");
  }

  const TestCluster& cluster_ = TestCluster::Get();
  const TemporaryFolder folder_;
  const LogNotes log_;
};

TEST_F(LeaseSecurity, ACertificateATokenAndAPodsFilesAllOpenTheDoor) {
  EXPECT_TRUE(FailedWith(cluster_.Connect("candidate-0", lease_).Get(), {ErrorCode::kNotFound}));
  EXPECT_TRUE(FailedWith(cluster_.Connect("elector", lease_).Get(), {ErrorCode::kNotFound}));

  const std::string address = cluster_.server().substr(std::string("https://").size());
  ::setenv("KUBERNETES_SERVICE_HOST", address.substr(0, address.find(':')).c_str(), 1);
  ::setenv("KUBERNETES_SERVICE_PORT", address.substr(address.find(':') + 1).c_str(), 1);
  const auto config = KubeConfig::InCluster(cluster_.folder() / "serviceaccount" / "elector");
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  ::unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const LockClient lock(
      std::make_shared<LeaseLock>(*KubeClient::Make(*config),
                                  LeaseLockOptions{.lease_name = lease_, .use_default_namespace = true}),
      60s);
  EXPECT_EQ(lock.lock().Describe(), cluster_.name_space() + "/" + lease_);
  EXPECT_TRUE(Succeeded(lock.Create(HeldBy("a"))));
}

TEST_F(LeaseSecurity, AWrongTokenIsDeniedAndNotRepeatedInTheError) {
  const auto denied = Connect(ConfigWith(TrustedAuthority(), "token: a-canary")).Get();
  EXPECT_TRUE(FailedWith(denied, {ErrorCode::kDenied}));
  EXPECT_THAT(denied.error().message, HasSubstr("401"));
  EXPECT_THAT(denied.error().message, Not(HasSubstr("canary")));
}

TEST_F(LeaseSecurity, ATokenThatIsReplacedOnDiskIsUsedOnceTheOldOneIsRefused) {
  ReplaceToken("no-token-canary");
  const LockClient lock = Connect(ConfigWith(TrustedAuthority(), "tokenFile: token"));
  WatchLog watched(60s);
  const auto watch = lock.lock().Observe(watched.Recorder());
  EXPECT_TRUE(FailedWith(lock.Get(), {ErrorCode::kDenied}));
  ReplaceToken(TokenOf("elector"));
  const auto created = lock.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  EXPECT_TRUE(watched.WaitForWrite(created->version.order));
  ReplaceToken(TokenOf("no-watch"));
  EXPECT_TRUE(Succeeded(lock.Update(HeldBy("a", 1), created->version)));
  EXPECT_EQ(log_.Count("canary"), 0);
}

TEST_F(LeaseSecurity, AnExecPluginOpensTheDoor) {
  const std::string plugin = folder_.Write(
      "plugin",
      "#!/bin/sh\nprintf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
      "\"status\":{\"token\":\"%s\"}}' \"$(cat " +
          (cluster_.folder() / "serviceaccount" / "elector" / "token").string() + ")\"\n");
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  const LockClient lock = Connect(
      ConfigWith(TrustedAuthority(),
                 "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}"));
  EXPECT_TRUE(Succeeded(lock.Create(HeldBy("a"))));
}

TEST_F(LeaseSecurity, ACertificateFromAnExecPluginOpensTheDoor) {
  const auto pem = [this](const std::string& name) { return (cluster_.folder() / "pki" / name).string(); };
  const std::string plugin =
      folder_.Write("plugin",
                    "#!/bin/sh\nquoted() { awk '{printf \"%s\\\\n\", $0}' \"$1\"; }\n"
                    "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":\"ExecCredential\","
                    "\"status\":{\"clientCertificateData\":\"%s\",\"clientKeyData\":\"%s\"}}' \"$(quoted " +
                        pem("candidate-1.crt") + ")\" \"$(quoted " + pem("candidate-1.key") + ")\"\n");
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  const LockClient lock = Connect(
      ConfigWith(TrustedAuthority(), "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./plugin}"));
  EXPECT_TRUE(Succeeded(lock.Create(HeldBy("a"))));
}

TEST_F(LeaseSecurity, AServerOfAForeignAuthorityIsNotTalkedTo) {
  const std::string foreign = folder_.Write("foreign.crt", Authority().pem());
  const auto refused = Connect(ConfigWith("certificate-authority: " + foreign, "token: a-canary")).Get();
  EXPECT_TRUE(FailedWith(refused, {ErrorCode::kUnknown}));
  EXPECT_THAT(refused.error().message, HasSubstr("certificate"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("canary")));
}

TEST_F(LeaseSecurity, AServerOfAnotherNameIsNotTalkedToAndTlsServerNameIsHonoured) {
  const auto refused = Connect(ConfigWith(TrustedAuthority() + ", tls-server-name: other", "token: a-canary")).Get();
  EXPECT_TRUE(FailedWith(refused, {ErrorCode::kUnknown}));
  EXPECT_THAT(refused.error().message, HasSubstr("not other"));
  const auto token = "token: " + TokenOf("elector");
  EXPECT_TRUE(FailedWith(Connect(ConfigWith(TrustedAuthority() + ", tls-server-name: localhost", token)).Get(),
                         {ErrorCode::kNotFound}));
}

TEST_F(LeaseSecurity, WithoutAnAuthorityTheSystemsRootsDecideAndKnowNobodyHere) {
  const std::string file =
      folder_.Write("config", "clusters:\n- {name: c, cluster: {server: '" + cluster_.server() +
                                  "'}}\nusers:\n- {name: u, user: {token: a-canary}}\n"
                                  "contexts:\n- {name: x, context: {cluster: c, user: u}}\ncurrent-context: x\n");
  const auto refused = Connect(*KubeConfig::FromFiles({file})).Get();
  EXPECT_TRUE(FailedWith(refused, {ErrorCode::kUnknown}));
  EXPECT_THAT(refused.error().message, HasSubstr("certificate"));
}

}  // namespace
}  // namespace leaderelection::testing

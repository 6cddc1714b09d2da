#include "leaderelection/kube_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "json/base64.h"
#include "kubernetes/kube_settings.h"
#include "net/certificates.h"

namespace leaderelection {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

constexpr const char* kContexts = "contexts:\n- {name: main, context: {cluster: c, user: u, namespace: ns}}\n";
constexpr const char* kCluster = "clusters:\n- {name: c, cluster: {server: 'https://example.com:6443'}}\n";
constexpr const char* kUser = "users:\n- {name: u, user: {token: canary}}\n";
constexpr const char* kCurrent = "current-context: main\n";

std::string Config(const std::string& cluster, const std::string& user) {
  return "clusters:\n- {name: c, cluster: {" + cluster + "}}\nusers:\n- {name: u, user: {" + user + "}}\n" + kContexts +
         kCurrent;
}
std::string WithUser(const std::string& user) { return Config("server: 'https://example.com'", user); }
std::string WithCluster(const std::string& cluster) { return Config(cluster, "token: canary"); }

// A variable of the environment for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class KubeConfigTest : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& text, const std::string& name = "config") const {
    return folder_.Write(name, text);
  }
  KubeSettings Read(const std::string& text) const {
    const auto config = KubeConfig::FromFiles({Write(text)});
    EXPECT_TRUE(config.ok()) << config.error().message;
    return config ? config->settings() : KubeSettings{};
  }
  std::string ErrorOf(const std::string& text, const std::string& context = "") const {
    const auto config = KubeConfig::FromFiles({Write(text)}, context);
    if (config) return "";
    EXPECT_EQ(config.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(config.error().message, Not(HasSubstr("canary")));
    return config.error().message;
  }

  const TemporaryFolder folder_;
};

TEST_F(KubeConfigTest, TheCurrentContextNamesServerUserAndNamespace) {
  const auto config = KubeConfig::FromFiles({Write(std::string(kContexts) + kCluster + kUser + kCurrent)});
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server(), "https://example.com:6443");
  EXPECT_EQ(config->default_namespace(), "ns");
  EXPECT_EQ(config->settings().token.Reveal(), "canary");
  EXPECT_EQ(config->settings().server.endpoint.port, 6443);
  EXPECT_FALSE(config->settings().tls.insecure_skip_verify);
}

TEST_F(KubeConfigTest, AnotherContextMayBeAskedFor) {
  const std::string text = std::string(kCluster) + kUser + kCurrent +
                           "contexts:\n- {name: main, context: {cluster: c, user: u}}\n"
                           "- {name: other, context: {cluster: c, user: u, namespace: elsewhere}}\n";
  EXPECT_EQ(KubeConfig::FromFiles({Write(text)}, "other")->default_namespace(), "elsewhere");
  EXPECT_EQ(KubeConfig::FromFiles({Write(text)})->default_namespace(), "");
}

TEST_F(KubeConfigTest, SeveralFilesCountAsOneAndTheEarlierWins) {
  const auto first = Write("users:\n- {name: u, user: {token: first}}\n", "first");
  const auto second =
      Write(std::string("users:\n- {name: u, user: {token: second}}\n") + kContexts + kCurrent, "second");
  const auto third = Write(std::string(kCluster) + "current-context: absent\n", "third");
  const auto config = KubeConfig::FromFiles({first, folder_.path() / "missing", second, third});
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->settings().token.Reveal(), "first");
}

TEST_F(KubeConfigTest, KubeconfigListsFilesSeparatedByColons) {
  const auto first = Write(std::string(kContexts) + kUser, "first");
  const auto second = Write(std::string(kCluster) + kCurrent, "second");
  const Variable listed("KUBECONFIG", first.string() + "::" + second.string());
  const auto config = KubeConfig::Load();
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server(), "https://example.com:6443");
}

TEST_F(KubeConfigTest, WithoutAFileAndOutsideAClusterBothAreNamed) {
  const Variable listed("KUBECONFIG", (folder_.path() / "missing").string());
  const auto config = KubeConfig::Load();
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(config.error().message, AllOf(HasSubstr("missing: No such file"), HasSubstr("KUBERNETES_SERVICE_HOST")));
}

TEST_F(KubeConfigTest, PathsAreRelativeToTheFileThatNamesThem) {
  const KubeSettings settings = Read(Config("server: 'https://x', certificate-authority: pki/ca.crt",
                                            "client-certificate: ../c.crt, client-key: /abs/c.key, tokenFile: token"));
  const auto folder = folder_.path();
  EXPECT_EQ(settings.tls.ca_file, folder / "pki/ca.crt");
  EXPECT_EQ(settings.tls.certificate_file, (folder.parent_path() / "c.crt").string());
  EXPECT_EQ(settings.tls.key_file, "/abs/c.key");
  EXPECT_EQ(settings.token_file, folder / "token");
}

TEST_F(KubeConfigTest, DataFieldsAreBase64) {
  const KubeSettings settings = Read(Config(
      "server: 'https://x', certificate-authority-data: " + EncodeBase64("the CA"),
      "client-certificate-data: " + EncodeBase64("a certificate") + ", client-key-data: " + EncodeBase64("key")));
  EXPECT_EQ(settings.tls.ca_pem, "the CA");
  EXPECT_EQ(settings.tls.certificate_pem, "a certificate");
  EXPECT_EQ(settings.tls.key_pem.Reveal(), "key");
  EXPECT_THAT(ErrorOf(WithUser("client-key-data: '*canary*'")), HasSubstr("client-key-data of user 'u'"));
  EXPECT_EQ(Read(WithUser("client-key-data: \"YWJj\\nZGVm\\r\\n \"")).tls.key_pem.Reveal(), "abcdef");
  EXPECT_THAT(ErrorOf(WithUser("client-key-data: YWJj----")), HasSubstr("is no base64"));
}

TEST_F(KubeConfigTest, NamesAndVerificationAreAsWritten) {
  const KubeSettings named = Read(WithCluster("server: 'https://x', tls-server-name: kubernetes.default"));
  EXPECT_EQ(named.tls.server_name, "kubernetes.default");
  EXPECT_TRUE(Read(WithCluster("server: 'https://x', insecure-skip-tls-verify: true")).tls.insecure_skip_verify);
  EXPECT_FALSE(Read(WithCluster("server: 'https://x', insecure-skip-tls-verify: false")).tls.insecure_skip_verify);
  EXPECT_THAT(ErrorOf(WithCluster("server: 'https://x', insecure-skip-tls-verify: maybe")),
              HasSubstr("neither true nor false"));
  EXPECT_THAT(ErrorOf(WithCluster("server: 'https://x', insecure-skip-tls-verify: true, certificate-authority: ca")),
              HasSubstr("both a certificate-authority and insecure-skip-tls-verify"));
}

TEST_F(KubeConfigTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(ErrorOf(std::string(kContexts) + kCluster + kUser), HasSubstr("current-context is not set"));
  EXPECT_THAT(ErrorOf(std::string(kCluster) + kUser + kCurrent), HasSubstr("there is no context 'main'"));
  EXPECT_THAT(ErrorOf(std::string(kContexts) + kCluster + kUser, "other"), HasSubstr("there is no context 'other'"));
  EXPECT_THAT(ErrorOf(std::string(kContexts) + kUser + kCurrent),
              HasSubstr("there is no cluster 'c', which context 'main'"));
  EXPECT_THAT(ErrorOf(std::string(kContexts) + kCluster + kCurrent),
              HasSubstr("there is no user 'u', which context 'main'"));
  EXPECT_THAT(ErrorOf(WithCluster("")), HasSubstr("the server's URL is missing (server of cluster 'c'"));
  EXPECT_THAT(ErrorOf("clusters:\n- {cluster: {server: x}}\n"), HasSubstr("has no name"));
}

TEST_F(KubeConfigTest, WhatIsGivenTwiceIsNamed) {
  EXPECT_THAT(
      ErrorOf(std::string(kContexts) + kCluster + kCurrent + "users:\n- {name: u, user: {}}\n- {name: u, user: {}}\n"),
      HasSubstr("user 'u' in " + (folder_.path() / "config").string() + " is given twice"));
  EXPECT_THAT(ErrorOf(WithUser("token: canary, token: canary")), HasSubstr("token of user 'u'"));
}

TEST_F(KubeConfigTest, WhatIsNotSupportedIsRefusedByName) {
  struct Row {
    const char* user;
    const char* said;
  };
  for (const Row& row :
       {Row{"username: a, password: canary", "username of user 'u'"}, Row{"password: canary", "password of user"},
        Row{"auth-provider: {name: canary}", "auth-provider of user"}, Row{"as: canary", "as of user"},
        Row{"as-groups: [canary]", "as-groups of user"}}) {
    EXPECT_THAT(ErrorOf(WithUser(row.user)), AllOf(HasSubstr(row.said), HasSubstr("is not supported")));
  }
  EXPECT_THAT(ErrorOf(WithCluster("server: 'https://x', proxy-url: 'http://canary'")),
              HasSubstr("proxy-url of cluster 'c'"));
}

TEST_F(KubeConfigTest, CredentialsAreNotSentOverPlainHttp) {
  EXPECT_THAT(ErrorOf(WithCluster("server: 'http://127.0.0.1:8001'")), HasSubstr("not sent over plain http"));
  EXPECT_TRUE(Read(Config("server: 'http://127.0.0.1:8001'", "")).server.is_plain);
}

TEST_F(KubeConfigTest, AnExecPluginIsFoundBesideTheFileOrByPath) {
  const std::string rest =
      ", interactiveMode: Never, args: [get, token], env: [{name: A, value: b}], provideClusterInfo: true";
  const KubeSettings relative =
      Read(WithUser("exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/plugin" + rest + "}"));
  ASSERT_TRUE(relative.exec);
  EXPECT_EQ(relative.exec->command, folder_.path() / "bin/plugin");
  EXPECT_EQ(relative.exec->arguments, (std::vector<std::string>{"get", "token"}));
  EXPECT_EQ(relative.exec->environment.at(0).first, "A");
  EXPECT_TRUE(relative.exec->provide_cluster_info);
  const KubeSettings by_path =
      Read(WithUser("exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: plugin}"));
  EXPECT_EQ(by_path.exec->command, "plugin");
}

TEST_F(KubeConfigTest, AnExecPluginOfAnotherKindIsRefused) {
  struct Row {
    const char* exec;
    const char* said;
  };
  for (const Row& row :
       {Row{"apiVersion: client.authentication.k8s.io/v1alpha1, command: p", "neither client.authentication.k8s.io/v1"},
        Row{"command: p", "apiVersion of exec of user 'u'"},
        Row{"apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never", "command of exec"},
        Row{"apiVersion: client.authentication.k8s.io/v1, command: p", "interactiveMode of exec"},
        Row{"apiVersion: client.authentication.k8s.io/v1, command: p, interactiveMode: Always", "asks for a terminal"},
        Row{"apiVersion: client.authentication.k8s.io/v1, command: p, interactiveMode: canary", "none of Never"},
        Row{"apiVersion: client.authentication.k8s.io/v1beta1, command: p, args: canary", "is not a list"},
        Row{"apiVersion: client.authentication.k8s.io/v1beta1, command: p, env: [{value: canary}]", "has no name"}}) {
    EXPECT_THAT(ErrorOf(WithUser(std::string("exec: {") + row.exec + "}")), HasSubstr(row.said));
  }
}

TEST_F(KubeConfigTest, ATokenCountsBeforeAnExecPlugin) {
  EXPECT_FALSE(Read(WithUser("token: t, exec: {apiVersion: x, command: y}")).exec);
}

TEST_F(KubeConfigTest, AFileThatIsNoKubeconfigIsNamedAndNotQuoted) {
  EXPECT_THAT(ErrorOf("users:\n\t- canary"), HasSubstr("no YAML at line 2"));
  EXPECT_THAT(ErrorOf("users: [canary"), HasSubstr("no YAML"));
  EXPECT_THAT(ErrorOf("canary"), HasSubstr("is not a map"));
  EXPECT_THAT(ErrorOf("users: canary"), HasSubstr("is not a list"));
  EXPECT_THAT(ErrorOf("users: [canary]"), HasSubstr("is not a map"));
  EXPECT_THAT(ErrorOf("kind: Pod"), HasSubstr("not of kind Config"));
  EXPECT_THAT(ErrorOf(WithUser("token: [canary]")), HasSubstr("token of user 'u'"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("current-context is not set"));
}

TEST_F(KubeConfigTest, DepthSizeAndAliasesAreBounded) {
  EXPECT_THAT(ErrorOf("a: " + std::string(10'000, '[')), HasSubstr("nested too deeply"));
  std::string aliases = "a: &a [x]\nb:\n";
  for (int i = 0; i < 200; ++i) aliases += "- *a\n";
  EXPECT_THAT(ErrorOf(aliases), HasSubstr("too many aliases"));
  EXPECT_THAT(ErrorOf("a: &a [*a]\n"), HasSubstr("current-context is not set"));
  EXPECT_THAT(ErrorOf("users: &a\n- {name: x, user: *a}\n"), HasSubstr("is not a map"));
  std::string values = "a:\n";
  for (int i = 0; i < 100'001; ++i) values += "- 1\n";
  EXPECT_THAT(ErrorOf(values), HasSubstr("too many values"));
  EXPECT_THAT(ErrorOf(std::string(5 << 20, '#')), HasSubstr("larger than 4 MiB"));
}

TEST_F(KubeConfigTest, InAClusterThePodsFilesTell) {
  const Variable host("KUBERNETES_SERVICE_HOST", "10.96.0.1");
  const Variable port("KUBERNETES_SERVICE_PORT", "443");
  Write("the CA", "ca.crt");
  Write("the token\n", "token");
  Write("here\n", "namespace");
  const auto config = KubeConfig::InCluster(folder_.path());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server(), "https://10.96.0.1:443");
  EXPECT_EQ(config->default_namespace(), "here");
  EXPECT_EQ(config->settings().token_file, folder_.path() / "token");
  EXPECT_EQ(config->settings().tls.ca_file, folder_.path() / "ca.crt");
}

TEST_F(KubeConfigTest, InAClusterAnAddressOfSixIsBracketed) {
  const Variable host("KUBERNETES_SERVICE_HOST", "fd00::1");
  const Variable port("KUBERNETES_SERVICE_PORT", "6443");
  Write("ca", "ca.crt");
  Write("token", "token");
  EXPECT_EQ(KubeConfig::InCluster(folder_.path())->server(), "https://[fd00::1]:6443");
}

TEST_F(KubeConfigTest, InAClusterWhatIsMissingFailsClosed) {
  const auto error = [&] {
    const auto config = KubeConfig::InCluster(folder_.path());
    return config ? "" : config.error().message;
  };
  EXPECT_THAT(error(), HasSubstr("KUBERNETES_SERVICE_HOST"));
  const Variable host("KUBERNETES_SERVICE_HOST", "10.96.0.1");
  EXPECT_THAT(error(), HasSubstr("KUBERNETES_SERVICE_PORT"));
  const Variable port("KUBERNETES_SERVICE_PORT", "443");
  EXPECT_THAT(error(), AllOf(HasSubstr("ca.crt"), HasSubstr("No such file")));
  Write("ca", "ca.crt");
  EXPECT_THAT(error(), AllOf(HasSubstr("token"), HasSubstr("No such file")));
  Write(" \n", "token");
  EXPECT_THAT(error(), HasSubstr("is empty"));
  Write("token", "token");
  EXPECT_EQ(error(), "");
}

}  // namespace
}  // namespace leaderelection

#include "kubernetes/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "kubernetes/bounded_json.h"
#include "net/certificates.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

std::string Credential(const std::string& status, const std::string& version = kV1) {
  return R"({"apiVersion":")" + version + R"(","kind":"ExecCredential","status":)" + status + "}";
}

std::string ErrorOf(const std::string& output) {
  const auto credential = ReadExecCredential(output, kV1);
  if (credential) return "";
  EXPECT_EQ(credential.error().code, ErrorCode::kDenied);
  EXPECT_THAT(credential.error().message, Not(HasSubstr("canary")));
  return credential.error().message;
}

class ExecPluginTest : public ::testing::Test {
 protected:
  ~ExecPluginTest() override { ::close(interruption_); }

  KubeSettings Plugin(const std::string& script) const {
    const std::string path = folder_.Write("plugin", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    KubeSettings settings;
    settings.server_text = "https://example.com";
    settings.exec = ExecPlugin{.api_version = kV1, .command = path};
    return settings;
  }
  Result<ExecCredential> RunIt(const KubeSettings& settings, std::chrono::seconds time = 60s) const {
    return RunExecPlugin(settings, BootClock::now() + time, interruption_);
  }
  std::string FailureOf(const std::string& script, std::chrono::seconds time = 60s) const {
    const auto credential = RunIt(Plugin(script), time);
    if (credential) return "";
    EXPECT_EQ(credential.error().code, ErrorCode::kDenied);
    EXPECT_THAT(credential.error().message, Not(HasSubstr("canary")));
    return credential.error().message;
  }

  const TemporaryFolder folder_;
  const int interruption_ = ::eventfd(0, EFD_CLOEXEC);
};

TEST(ExecCredentialTest, HasATokenOrACertificateAndPerhapsAnEnd) {
  const auto token =
      ReadExecCredential(Credential(R"({"token":"t","expirationTimestamp":"2030-01-01T00:00:00Z"})"), kV1);
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(token->token.Reveal(), "t");
  EXPECT_EQ(token->expires, WallTime(std::chrono::sys_days(std::chrono::year(2030) / 1 / 1)));
  const auto pair = ReadExecCredential(Credential(R"({"clientCertificateData":"c","clientKeyData":"k"})"), kV1);
  ASSERT_TRUE(pair.ok());
  EXPECT_EQ(pair->certificate_pem, "c");
  EXPECT_EQ(pair->key_pem.Reveal(), "k");
  EXPECT_EQ(pair->expires, std::nullopt);
}

TEST(ExecCredentialTest, WhatIsWrongIsSaidAndNotQuoted) {
  EXPECT_THAT(ErrorOf("canary"), HasSubstr("no JSON"));
  EXPECT_THAT(ErrorOf("{\"kind\":\"canary\"}"), HasSubstr("not of kind ExecCredential"));
  EXPECT_THAT(ErrorOf(Credential(R"({"token":"canary"})", "client.authentication.k8s.io/v1beta1")),
              HasSubstr("not of version client.authentication.k8s.io/v1"));
  EXPECT_THAT(ErrorOf(Credential("null")), HasSubstr("no status"));
  EXPECT_THAT(ErrorOf(Credential("{}")), HasSubstr("neither a token nor a client certificate"));
  EXPECT_THAT(ErrorOf(Credential(R"({"clientKeyData":"canary"})")), HasSubstr("come together"));
  EXPECT_THAT(ErrorOf(Credential(R"({"token":"canary","expirationTimestamp":"tomorrow"})")),
              HasSubstr("expirationTimestamp"));
}

TEST_F(ExecPluginTest, GetsArgumentsEnvironmentAndInfo) {
  KubeSettings settings = Plugin("echo \"$1 $OWN $KUBERNETES_EXEC_INFO\" > " + folder_.path().string() +
                                 "/seen\necho '" + Credential(R"({"token":"t"})") + "'");
  settings.exec->arguments = {"argument"};
  settings.exec->environment.emplace_back("OWN", net::Secret("value"));
  settings.exec->provide_cluster_info = true;
  settings.tls.ca_pem = "ca";
  const auto credential = RunIt(settings);
  ASSERT_TRUE(credential.ok()) << credential.error().message;
  EXPECT_EQ(credential->token.Reveal(), "t");
  std::string seen;
  std::getline(std::ifstream(folder_.path() / "seen"), seen);
  ASSERT_THAT(seen, ::testing::StartsWith("argument value {"));
  EXPECT_EQ(Json::parse(seen.substr(15)),
            (Json{{"apiVersion", kV1},
                  {"kind", "ExecCredential"},
                  {"spec",
                   {{"interactive", false},
                    {"cluster", {{"server", "https://example.com"}, {"certificate-authority-data", "Y2E="}}}}}}));
}

TEST_F(ExecPluginTest, ACommandWithoutASlashIsFoundByPath) {
  KubeSettings settings = Plugin("");
  settings.exec->command = "printf";
  settings.exec->arguments = {Credential(R"({"token":"t"})")};
  EXPECT_EQ(RunIt(settings)->token.Reveal(), "t");
}

TEST_F(ExecPluginTest, ItsFailureIsNamedAndWhatItSaysIsNot) {
  EXPECT_THAT(FailureOf("echo canary; echo canary >&2; exit 3"), AllOf(HasSubstr("plugin"), HasSubstr("exit code 3")));
  EXPECT_THAT(FailureOf("kill -9 $$"), HasSubstr("signal 9"));
  EXPECT_THAT(FailureOf("head -c 2000000 /dev/zero"), HasSubstr("writes too much"));
  KubeSettings missing = Plugin("");
  missing.exec->command = "/nowhere/plugin";
  EXPECT_THAT(RunIt(missing).error().message, HasSubstr("/nowhere/plugin cannot be started: No such file"));
}

TEST_F(ExecPluginTest, OneThatHangsIsKilledWithAllItStarted) {
  EXPECT_THAT(FailureOf("sleep 1000 & echo $! > " + folder_.path().string() + "/child; wait", 1s),
              HasSubstr("has not ended in time"));
  std::string child;
  std::getline(std::ifstream(folder_.path() / "child"), child);
  ASSERT_NE(child, "");
  // A killed child of a killed parent is gone as soon as init has taken note.
  const auto end = BootClock::now() + 30s;
  const auto is_alive = [&] {
    std::string stat;
    std::getline(std::ifstream("/proc/" + child + "/stat"), stat);
    return !stat.empty() && stat.find(") Z ") == std::string::npos;
  };
  while (is_alive() && BootClock::now() < end) std::this_thread::yield();
  EXPECT_FALSE(is_alive());
}

TEST_F(ExecPluginTest, OneThatLeavesAChildBehindIsNotWaitedForLonger) {
  const auto started = BootClock::now();
  const auto credential = RunIt(Plugin("sleep 1000 & echo $! > " + folder_.path().string() + "/child\necho '" +
                                       Credential(R"({"token":"t"})") + "'"));
  EXPECT_TRUE(credential.ok()) << credential.error().message;
  EXPECT_LT(BootClock::now() - started, 50s);
  std::string child;
  std::getline(std::ifstream(folder_.path() / "child"), child);
  ::kill(std::stoi(child), SIGKILL);
}

TEST_F(ExecPluginTest, ItCanBeBrokenOff) {
  const std::jthread interrupter([this] { ::eventfd_write(interruption_, 1); });
  EXPECT_THAT(FailureOf("sleep 1000"), HasSubstr("was broken off"));
}

TEST_F(ExecPluginTest, ItHasNoTerminalAndNoInput) {
  EXPECT_TRUE(RunIt(Plugin("cat; echo '" + Credential(R"({"token":"t"})") + "'")).ok());
}

}  // namespace
}  // namespace leaderelection

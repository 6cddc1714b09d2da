#include <gmock/gmock.h>

#include <cstdlib>
#include <stdexcept>

#include "consul/address.h"
#include "consul/session_settings.h"
#include "leaderelection/consul_lock.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Function>
std::string Complaint(Function function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::string ComplaintOfLock(ConsulLockOptions options) {
  return Complaint([&] { ConsulLock(std::make_shared<ConsulClient>(ConsulOptions{}), std::move(options)); });
}

TEST(ConsulAddressTest, EveryFormIsUnderstood) {
  const struct {
    const char* text;
    const char* host;
    int port;
    bool tls;
    const char* path;
  } kTable[] = {{"consul.example", "consul.example", 8500, false, ""},
                {"127.0.0.1:8501", "127.0.0.1", 8501, false, ""},
                {"http://host:80/", "host", 80, false, ""},
                {"https://host", "host", 8500, true, ""},
                {"https://host:443/consul/", "host", 443, true, "/consul"},
                {"http://[::1]:8500", "::1", 8500, false, ""},
                {"[::1]", "::1", 8500, false, ""}};
  for (const auto& row : kTable) {
    const auto address = consul::ParseAddress(row.text);
    ASSERT_TRUE(address.ok()) << row.text << " " << address.error().message;
    EXPECT_EQ(address->server.host, row.host);
    EXPECT_EQ(address->server.port, row.port);
    EXPECT_EQ(address->tls, row.tls);
    EXPECT_EQ(address->path, row.path);
  }
}

TEST(ConsulAddressTest, WhatIsNoneIsRefused) {
  for (const char* text : {"", "http://", ":8500", "unix:///run/consul.sock", "host:0", "host:65536", "host:x", "[::1",
                           "[::1]8500", "http://user:secret@host", "http://host?x", "http://ho st"}) {
    EXPECT_FALSE(consul::ParseAddress(text).ok()) << text;
  }
}

TEST(ConsulAddressTest, APathIsPercentEncoded) {
  EXPECT_EQ(consul::PercentEncoded("a/b c?d\xc3\xa4%", true), "a/b%20c%3Fd%C3%A4%25");
  EXPECT_EQ(consul::PercentEncoded("a/b", false), "a%2Fb");
}

TEST(ConsulOptionsTest, EveryWrongFieldIsNamedAndNoSecretTold) {
  const std::string complaint = Complaint([] {
    ConsulClient({.address = "ftp://host", .token = "secret\n", .token_file = "file", .certificate_file = "crt"});
  });
  EXPECT_THAT(complaint, AllOf(HasSubstr("address"), HasSubstr("token_file"), HasSubstr("line break"),
                               HasSubstr("key_file"), Not(HasSubstr("secret"))));
}

TEST(ConsulOptionsTest, ATtlOutOfConsulsRangeIsRefusedWithTheReason) {
  for (const auto ttl : {9999ms, 86'400'001ms, 0ms, -1ms}) {
    EXPECT_THAT(ComplaintOfLock({.key = "k", .session = {.ttl = ttl}}),
                AllOf(HasSubstr("session.ttl"), HasSubstr("10 seconds to 24 hours")));
  }
  for (const auto ttl : {10'000ms, 86'400'000ms}) {
    EXPECT_EQ(ComplaintOfLock({.key = "k", .session = {.ttl = ttl}}), "");
  }
}

TEST(ConsulOptionsTest, EveryWrongFieldOfALockIsNamed) {
  EXPECT_THAT(
      Complaint([] { ConsulLock(nullptr, {.key = "", .session = {.name = "\xff", .ttl = 1s, .lock_delay = 61s}}); }),
      AllOf(HasSubstr("client"), HasSubstr("key"), HasSubstr("session.ttl"), HasSubstr("session.lock_delay"),
            HasSubstr("session.name")));
  for (const std::string key : {"/a", "a/", "a\nb", "\xff"}) {
    EXPECT_THAT(ComplaintOfLock({.key = key}), HasSubstr("key"));
  }
  EXPECT_THAT(ComplaintOfLock({.key = std::string(513, 'k')}), HasSubstr("key"));
}

TEST(ConsulSessionTest, WhatIsLeftOpenFollowsTheLease) {
  EXPECT_EQ(consul::TtlFor({}, 3s), 10s);
  EXPECT_EQ(consul::TtlFor({}, 15s), 15s);
  EXPECT_EQ(consul::TtlFor({.ttl = 40s}, 15s), 40s);
  EXPECT_THAT(consul::SessionToJson({}, 15s),
              AllOf(HasSubstr(R"("TTL":"15000ms")"), HasSubstr(R"("LockDelay":"15000ms")"),
                    HasSubstr(R"("NodeChecks":[])"), HasSubstr(R"("release")")));
  EXPECT_THAT(consul::SessionToJson({}, 90s), HasSubstr(R"("LockDelay":"60000ms")"));
  EXPECT_THAT(consul::SessionToJson({.lock_delay = 0s, .service_checks = {"web"}}, 15s),
              AllOf(HasSubstr(R"("LockDelay":"0ms")"), HasSubstr(R"("ServiceChecks":[{"ID":"web"}])")));
}

class ConsulEnvironmentTest : public ::testing::Test {
 protected:
  ~ConsulEnvironmentTest() override {
    for (const std::string& name : set_) ::unsetenv(name.c_str());
  }
  void Set(const std::string& name, const std::string& value) {
    set_.push_back(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::vector<std::string> set_;
};

TEST_F(ConsulEnvironmentTest, WithoutVariablesItIsTheLocalAgent) {
  EXPECT_EQ(ConsulOptions::FromEnvironment().address, "http://127.0.0.1:8500");
  EXPECT_FALSE(ConsulOptions::FromEnvironment().insecure_skip_verify);
}

TEST_F(ConsulEnvironmentTest, TheVariablesOfConsulsCommandAreRead) {
  Set("CONSUL_HTTP_ADDR", "consul.example:8501");
  Set("CONSUL_HTTP_SSL", "true");
  Set("CONSUL_HTTP_TOKEN", "t");
  Set("CONSUL_CACERT", "ca");
  Set("CONSUL_CLIENT_CERT", "crt");
  Set("CONSUL_CLIENT_KEY", "key");
  Set("CONSUL_TLS_SERVER_NAME", "name");
  Set("CONSUL_HTTP_SSL_VERIFY", "false");
  Set("CONSUL_NAMESPACE", "team");
  const auto options = ConsulOptions::FromEnvironment();
  EXPECT_EQ(options.address, "https://consul.example:8501");
  EXPECT_EQ(options.token, "t");
  EXPECT_EQ(options.ca_file, "ca");
  EXPECT_EQ(options.certificate_file, "crt");
  EXPECT_EQ(options.key_file, "key");
  EXPECT_EQ(options.tls_server_name, "name");
  EXPECT_TRUE(options.insecure_skip_verify);
  EXPECT_EQ(options.consul_namespace, "team");
}

TEST_F(ConsulEnvironmentTest, ATokenFileCountsBeforeAToken) {
  Set("CONSUL_HTTP_TOKEN", "t");
  Set("CONSUL_HTTP_TOKEN_FILE", "file");
  EXPECT_EQ(ConsulOptions::FromEnvironment().token_file, "file");
  EXPECT_EQ(ConsulOptions::FromEnvironment().token, "");
}

TEST_F(ConsulEnvironmentTest, EveryWrongVariableIsNamed) {
  Set("CONSUL_HTTP_ADDR", "unix:///run/consul.sock");
  Set("CONSUL_HTTP_SSL_VERIFY", "perhaps");
  Set("CONSUL_CLIENT_CERT", "crt");
  Set("CONSUL_HTTP_AUTH", "user:secret");
  EXPECT_THAT(Complaint([] { (void)ConsulOptions::FromEnvironment(); }),
              AllOf(HasSubstr("CONSUL_HTTP_ADDR"), HasSubstr("CONSUL_HTTP_SSL_VERIFY"), HasSubstr("CONSUL_CLIENT_KEY"),
                    HasSubstr("CONSUL_HTTP_AUTH"), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace leaderelection

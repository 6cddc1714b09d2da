// Who is let in, and what is said to who is not.

#include "net/scripted_server.h"
#include "redis/redis_test.h"
#include "redis/url.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class RedisAccess : public RedisTest {
 protected:
  static RedisOptions Plain() { return RedisServers::Shared("standalone").Options(); }
  static RedisOptions Tls() { return RedisServers::Shared("tls").Options(); }
};

TEST_F(RedisAccess, AWrongPasswordIsDeniedAndNotRepeated) {
  RedisOptions options = Tls();
  options.password = "canary";
  const auto a = Client(options, UniqueName("access"));
  const auto refused = a.Create(contract::HeldBy("a"));
  EXPECT_THAT(refused, FailsWith(ErrorCode::kDenied, "wrong user name or password"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("canary")));
}

TEST_F(RedisAccess, ANeedlessPasswordIsDenied) {
  RedisOptions options = Plain();
  options.password = "canary";
  const auto refused = Client(options, "x").Get();
  EXPECT_THAT(refused, FailsWith(ErrorCode::kDenied, "default user has none"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("canary")));
}

TEST_F(RedisAccess, AMissingPasswordIsDenied) {
  RedisOptions options = Tls();
  options.username = options.password = "";
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kDenied, "NOAUTH"));
}

TEST_F(RedisAccess, ADatabaseThatIsNotThereIsNamed) {
  RedisOptions options = Plain();
  options.database = 99;
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kInvalid, "no database 99"));
}

TEST_F(RedisAccess, DatabasesAreApart) {
  RedisOptions options = Plain();
  const std::string name = UniqueName("database");
  ASSERT_TRUE(contract::Succeeded(Client(options, name).Create(contract::HeldBy("a"))));
  options.database = 1;
  const auto other = Client(options, name);
  WatchLog log(kPatience);
  const auto watch = other.lock().Observe(log.Recorder());
  EXPECT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  EXPECT_TRUE(contract::Succeeded(other.Create(contract::HeldBy("b"))));
}

TEST_F(RedisAccess, ACommandThatTheUserMayNotRunIsNamedAndNothingIsWritten) {
  RedisOptions options = Tls();
  options.username = "reader";
  const std::string name = UniqueName("access");
  EXPECT_THAT(Client(options, name).Create(contract::HeldBy("a")),
              FailsWith(ErrorCode::kDenied, "not permitted to this user, who needs get, set"));
  EXPECT_THAT(Client(Tls(), name).Get(), FailsWith(ErrorCode::kNotFound, ""));
}

TEST_F(RedisAccess, AKeyBeyondTheUsersPrefixIsDenied) {
  RedisOptions options = Tls();
  options.key_prefix = "other";
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kDenied, "NOPERM"));
}

TEST_F(RedisAccess, AUserWithoutChannelsWritesAndIsToldToPoll) {
  RedisOptions options = Tls();
  options.username = "mute";
  const auto a = Client(options, UniqueName("mute"));
  WatchLog log(kPatience);
  const auto watch = a.lock().Observe(log.Recorder());
  const auto refused = log.WaitForKind(WatchEvent::Kind::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->error.message, HasSubstr("NOPERM"));
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created)) << "what cannot be published is written all the same";
  const auto renewed = a.Update(contract::HeldBy("a", 1), created->version);
  ASSERT_TRUE(contract::Succeeded(renewed));
  EXPECT_TRUE(contract::IsStored(a, *renewed));
}

// Depending on what the greeting holds, the server answers it or waits for more.
TEST_F(RedisAccess, TlsToAPlainPortIsNamed) {
  RedisOptions options = Plain();
  options.tls = {.enabled = true, .ca_file = RedisServers::Shared("tls").ca_file()};
  const auto refused = Client(options, "x").Get();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("no TLS"));
}

TEST_F(RedisAccess, PlainToATlsPortIsNamed) {
  RedisOptions options = Tls();
  options.tls = {};
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kUnknown, "TLS"));
}

TEST_F(RedisAccess, AnUntrustedCertificateIsNamed) {
  RedisOptions options = Tls();
  options.tls.ca_file = "";
  const auto refused = Client(options, "x").Get();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("certificate"));
}

TEST_F(RedisAccess, ACertificateForAnotherNameIsNamed) {
  RedisOptions options = Tls();
  options.tls.server_name = "redis.example";
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kUnknown, "not redis.example"));
}

TEST_F(RedisAccess, AServerThatIsNotThereIsNamedAtOnce) {
  RedisOptions options;
  options.port = RefusingPort();
  const auto refused = Client(options, "x").Get(kNever);
  EXPECT_THAT(refused, FailsWith(ErrorCode::kUnknown, "connection refused"));
}

TEST_F(RedisAccess, SentinelsThatAreNotThereOrDoNotKnowTheNameAreNamed) {
  RedisOptions options = RedisServers::Shared("sentinel").Options();
  options.sentinel_master = "othermaster";
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kInvalid, "'othermaster'"));
  options.sentinels = {"127.0.0.1:" + std::to_string(RefusingPort())};
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kUnknown, "connection refused"));
}

TEST_F(RedisAccess, AWrongPasswordForTheSentinelsIsDenied) {
  RedisOptions options = RedisServers::Shared("sentinel").Options();
  options.sentinel_password = "canary";
  const auto refused = Client(options, "x").Get();
  EXPECT_THAT(refused, FailsWith(ErrorCode::kDenied, "wrong user name or password"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("canary")));
}

TEST_F(RedisAccess, ASentinelThatIsDownIsPassedOver) {
  RedisOptions options = RedisServers::Shared("sentinel").Options();
  options.sentinels.front() = "127.0.0.1:" + std::to_string(RefusingPort());
  EXPECT_THAT(Client(options, UniqueName("access")).Get(), FailsWith(ErrorCode::kNotFound, ""));
}

TEST_F(RedisAccess, ANodeOfAClusterThatIsNotConfiguredAsOneIsNamed) {
  const auto servers = RedisServers::Shared("cluster");
  for (int i = 0; i < 20; ++i) {
    const auto refused = Client(RedisOptions::FromUrl("redis://" + servers.address()), UniqueName("x")).Get();
    if (refused.error().code == ErrorCode::kNotFound) continue;  // this node's own
    EXPECT_THAT(refused, FailsWith(ErrorCode::kThrottled, "Cluster"));
    return;
  }
  FAIL() << "twenty keys on one of three nodes";
}

}  // namespace
}  // namespace leaderelection::testing

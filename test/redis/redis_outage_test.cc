// Servers of the test's own that die, hang, forget and run out of memory.

#include <fstream>

#include "redis/redis_test.h"

namespace leaderelection::testing {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RedisOutage : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    servers_ = std::make_unique<RedisServers>("standalone");
  }

  LockClient Connect() { return Client(servers_->Options(), "x"); }
  std::string Cli(const std::vector<std::string>& words) { return servers_->Cli("server", words); }

  std::unique_ptr<RedisServers> servers_;
};

TEST_F(RedisOutage, AServerThatDiesIsNamedAndFoundAgainAndTheNumberRisesThoughItForgotEverything) {
  const auto a = Connect();
  WatchLog log(kPatience);
  const auto watch = a.lock().Observe(log.Recorder());
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));

  servers_->Do("kill", "server");
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLost));
  const auto refused = a.Update(contract::HeldBy("a", 1), created->version);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(MayHaveLanded(refused.error().code));
  EXPECT_THAT(refused.error().message, HasSubstr(servers_->address()));

  servers_->Do("start", "server");
  EXPECT_THAT(GetDefinitely(a), FailsWith(ErrorCode::kNotFound, ""));
  const auto again = a.Create(contract::HeldBy("a", 2));
  ASSERT_TRUE(contract::Succeeded(again));
  EXPECT_GT(again->version.order, created->version.order);
}

TEST_F(RedisOutage, AWatchIsLiveAgainAfterARestartAndTellsWhatFollows) {
  const auto a = Connect();
  WatchLog log(kPatience);
  const auto watch = a.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  servers_->Do("kill", "server");
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLost));
  servers_->Do("start", "server");
  ASSERT_TRUE(Eventually([&] { return log.events().back().kind == WatchEvent::Kind::kLive; }));
  const auto created = Connect().Create(contract::HeldBy("b"));
  ASSERT_TRUE(contract::Succeeded(created));
  EXPECT_TRUE(log.WaitForWrite(created->version.order));
  EXPECT_EQ(log.events().size(), 4u) << "live, lost, live, changed: each once";
}

TEST_F(RedisOutage, APausedServerIsATimeoutAndTheWriteMayHaveLanded) {
  const auto a = Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  Cli({"CLIENT", "PAUSE", "1500", "ALL"});
  EXPECT_THAT(a.Update(In(700ms), contract::HeldBy("a", 1), created->version), FailsWith(ErrorCode::kTimeout, ""));
  const auto read = GetDefinitely(a);
  ASSERT_TRUE(contract::Succeeded(read));
  EXPECT_TRUE(contract::Succeeded(a.Update(contract::HeldBy("a", 2), read->version)));
}

TEST_F(RedisOutage, AHangingServerHoldsUpNobodyBeyondHisDeadlineAndIsFoundAgain) {
  const auto a = Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  servers_->Do("stop", "server");
  for (int i = 0; i < 3; ++i) {
    const auto answer = a.Update(In(600ms), contract::HeldBy("a", 1), created->version);
    ASSERT_FALSE(answer.ok());
    EXPECT_TRUE(MayHaveLanded(answer.error().code)) << answer.error().message;
  }
  servers_->Do("cont", "server");
  const auto read = GetDefinitely(a);
  ASSERT_TRUE(contract::Succeeded(read));
  EXPECT_TRUE(contract::Succeeded(a.Update(contract::HeldBy("a", 2), read->version)));
}

TEST_F(RedisOutage, AHangingServerIsNoticedByAWatchThatHasNothingToHear) {
  const auto a = Connect();
  WatchLog log(kPatience);
  const auto watch = a.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  servers_->Do("stop", "server");
  EXPECT_TRUE(log.WaitForKind(WatchEvent::Kind::kLost));
  servers_->Do("cont", "server");
  EXPECT_TRUE(Eventually([&] { return log.events().back().kind == WatchEvent::Kind::kLive; }));
}

TEST_F(RedisOutage, AServerOutOfMemoryRefusesAndRecovers) {
  const auto a = Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  Cli({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THAT(a.Update(contract::HeldBy("a", 1), created->version), FailsWith(ErrorCode::kThrottled, "out of memory"));
  EXPECT_TRUE(contract::IsStored(a, *created)) << "a refusal has changed nothing";
  Cli({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(contract::Succeeded(a.Update(contract::HeldBy("a", 1), created->version)));
}

TEST_F(RedisOutage, AFlushedScriptCacheIsFilledAgain) {
  const auto a = Connect();
  auto last = a.Create(contract::HeldBy("a"));
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(contract::Succeeded(last));
    Cli({"SCRIPT", "FLUSH"});
    last = a.Update(contract::HeldBy("a", i), last->version);
  }
  Cli({"SCRIPT", "FLUSH"});
  ASSERT_TRUE(contract::Succeeded(last));
  EXPECT_TRUE(contract::IsStored(a, *last));
}

TEST_F(RedisOutage, AFlushedDatabaseIsSeenAsAbsence) {
  const auto a = Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  Cli({"FLUSHALL"});
  EXPECT_THAT(a.Update(contract::HeldBy("a", 1), created->version), FailsWith(ErrorCode::kNotFound, ""));
  const auto again = a.Create(contract::HeldBy("a", 1));
  ASSERT_TRUE(contract::Succeeded(again));
  EXPECT_GT(again->version.order, created->version.order);
}

TEST_F(RedisOutage, AChangedPasswordIsDeniedUntilTheFileHoldsTheNewOne) {
  const TemporaryFolder folder;
  Cli({"CONFIG", "SET", "requirepass", "first"});
  RedisOptions options = servers_->Options();
  options.password_file = folder.Write("password", "first\n");
  const auto a = Client(options, "x");
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  Cli({"--pass", "first", "--no-auth-warning", "CONFIG", "SET", "requirepass", "second"});
  Cli({"--pass", "second", "--no-auth-warning", "CLIENT", "KILL", "TYPE", "normal"});
  Result<Stored> refused = a.Get();
  EXPECT_TRUE(Eventually([&] {
    refused = a.Get();
    return !refused.ok() && refused.error().code == ErrorCode::kDenied;
  }));
  EXPECT_THAT(refused, FailsWith(ErrorCode::kDenied, "wrong user name or password"));
  folder.Write("password", "second\n");
  EXPECT_TRUE(Eventually([&] { return a.Get().ok(); }));
  EXPECT_TRUE(contract::Succeeded(a.Update(contract::HeldBy("a", 1), created->version)));
}

TEST_F(RedisOutage, AFullServerIsNamed) {
  Cli({"CONFIG", "SET", "maxclients", "1"});
  const auto holder = Connect();
  const auto a = Connect();
  (void)holder.Get();
  const auto refused = a.Get();
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(Eventually([&] {
    const auto answer = a.Get();
    return !answer.ok() && answer.error().message.find("max number of clients") != std::string::npos;
  }));
}

}  // namespace
}  // namespace leaderelection::testing

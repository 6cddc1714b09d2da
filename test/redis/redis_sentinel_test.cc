// Primary, replicas and sentinels of the test's own.

#include "redis/redis_test.h"

namespace leaderelection::testing {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RedisFailover : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    servers_ = std::make_unique<RedisServers>("sentinel");
  }

  // One of the servers without asking the sentinels.
  RedisOptions Direct(std::size_t index) {
    RedisOptions options = servers_->Options();
    options.sentinels.clear();
    options.sentinel_master = options.sentinel_password = "";
    options.sentinel_tls = {};
    const std::string address = servers_->address(index);
    options.port = static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
    options.min_replicas = 1;
    return options;
  }

  std::unique_ptr<RedisServers> servers_;
};

TEST_F(RedisFailover, APrimaryThatDiesIsReplacedAndFollowedAndNothingAcknowledgedIsLost) {
  const auto a = Client(servers_->Options(), "x");
  const auto b = Client(servers_->Options(), "x");
  WatchLog log(kPatience);
  const auto watch = b.lock().Observe(log.Recorder());
  Record record = contract::HeldBy("a");
  record.lease_duration = 10min;
  const auto created = a.Create(record);
  ASSERT_TRUE(contract::Succeeded(created));
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));

  servers_->Do("kill", "primary");
  const auto read = GetDefinitely(a);
  ASSERT_TRUE(contract::Succeeded(read)) << "a replica had it before it was acknowledged";
  EXPECT_EQ(read->record, record);
  EXPECT_EQ(read->version.order, created->version.order);

  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLost));
  ASSERT_TRUE(Eventually([&] { return log.events().back().kind == WatchEvent::Kind::kLive; }));
  // The other replica follows the new primary only after a while; until then nothing can be acknowledged.
  Result<Stored> renewed = a.Update(In(2s), record, read->version);
  EXPECT_TRUE(Eventually([&] {
    if (renewed) return true;
    const auto again = a.Get(In(2s));
    if (again) renewed = a.Update(In(2s), record, again->version);
    return renewed.ok();
  })) << renewed.error().message;
  EXPECT_GT(renewed->version.order, created->version.order);
  EXPECT_TRUE(log.WaitForWrite(renewed->version.order));
}

TEST_F(RedisFailover, WithoutReplicasAWriteIsNotAcknowledgedButMayHaveLanded) {
  const auto a = Client(servers_->Options(), "x");
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  servers_->Do("stop", "replica-1");
  servers_->Do("stop", "replica-2");
  const auto refused = a.Update(In(5s), contract::HeldBy("a", 1), created->version);
  EXPECT_THAT(refused, FailsWith(ErrorCode::kUnknown, "0 of the 1 replicas"));
  const auto landed = GetDefinitely(a);
  ASSERT_TRUE(contract::Succeeded(landed));
  EXPECT_EQ(landed->record, contract::HeldBy("a", 1)) << "the primary has it all the same";
  servers_->Do("cont", "replica-1");
  Result<Stored> renewed = a.Update(In(5s), contract::HeldBy("a", 2), landed->version);
  EXPECT_TRUE(Eventually([&] {
    if (renewed) return true;
    const auto again = a.Get(In(2s));
    if (again) renewed = a.Update(In(2s), contract::HeldBy("a", 3), again->version);
    return renewed.ok();
  }));
}

TEST_F(RedisFailover, APrimaryAndItsLeaderCutOffTogetherGetNoAcknowledgementWhileARivalDoes) {
  for (const char* sentinel : {"sentinel-1", "sentinel-2", "sentinel-3"}) servers_->Do("kill", sentinel);
  const auto leader = Client(Direct(0), "x");
  const auto created = leader.Create(contract::HeldBy("leader"));
  ASSERT_TRUE(contract::Succeeded(created));

  // The rest of the world goes on without them, and they are not told.
  servers_->Cli("replica-1", {"REPLICAOF", "NO", "ONE"});
  const std::string new_primary = servers_->address(1);
  servers_->Cli("replica-2", {"REPLICAOF", "127.0.0.1", new_primary.substr(new_primary.find(':') + 1)});

  const auto rival = Client(Direct(1), "x");
  const auto seen = GetDefinitely(rival);
  ASSERT_TRUE(contract::Succeeded(seen));
  EXPECT_EQ(seen->version.order, created->version.order);
  Result<Stored> taken = rival.Update(In(5s), contract::HeldBy("rival"), seen->version);
  EXPECT_TRUE(Eventually([&] {
    if (taken) return true;
    const auto again = rival.Get(In(2s));
    if (again) taken = rival.Update(In(2s), contract::HeldBy("rival", 1), again->version);
    return taken.ok();
  }));
  ASSERT_TRUE(contract::Succeeded(taken));
  EXPECT_GT(taken->version.order, created->version.order);

  for (int i = 1; i <= 2; ++i) {
    const auto current = GetDefinitely(leader);
    ASSERT_TRUE(contract::Succeeded(current));
    EXPECT_THAT(leader.Update(In(5s), contract::HeldBy("leader", i), current->version),
                FailsWith(ErrorCode::kUnknown, "0 of the 1 replicas"));
  }
}

TEST_F(RedisFailover, ManyWritesShareOneWaitForTheReplicas) {
  const auto client = std::make_shared<RedisClient>(servers_->Options());
  std::vector<std::shared_ptr<RedisLock>> locks;
  std::vector<PendingAnswer> answers(300);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    locks.push_back(std::make_shared<RedisLock>(client, "many-" + std::to_string(i)));
    locks.back()->Create(In(kPatience), contract::HeldBy("a"), answers[i].MakeDone());
  }
  for (const auto& answer : answers) ASSERT_TRUE(contract::Succeeded(answer.Wait(kPatience)));
  const std::string statistics = servers_->Cli("primary", {"INFO", "commandstats"});
  const auto begin = statistics.find("cmdstat_wait:calls=");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_LT(std::stoi(statistics.substr(begin + 19)), 100);
}

}  // namespace
}  // namespace leaderelection::testing

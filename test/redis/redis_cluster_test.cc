// A Cluster of the test's own, whose slots move.

#include <map>

#include "redis/redis_test.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RedisMove : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    servers_ = std::make_unique<RedisServers>("cluster");
    for (const char* node : {"node-1", "node-2", "node-3"}) ids_[node] = Cli(node, {"CLUSTER", "MYID"});
  }

  std::string Cli(const std::string& node, const std::vector<std::string>& words) { return servers_->Cli(node, words); }

  std::string OwnerOf(const std::string& key) {
    const int slot = std::stoi(Cli("node-1", {"CLUSTER", "KEYSLOT", key}));
    return slot <= 5460 ? "node-1" : slot <= 10922 ? "node-2" : "node-3";  // as redis-cli deals them out
  }

  std::string PortOf(const std::string& node) {
    const std::string address = servers_->address(static_cast<std::size_t>(node.back() - '1'));
    return address.substr(address.find(':') + 1);
  }

  std::unique_ptr<RedisServers> servers_;
  std::map<std::string, std::string> ids_;
};

TEST_F(RedisMove, ASlotIsMovedDuringATermAndNobodyNotices) {
  const auto a = Client(servers_->Options(), "x");
  const auto b = Client(servers_->Options(), "x");
  WatchLog log(kPatience);
  const auto watch = b.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  auto last = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(last));

  const std::string slot = Cli("node-1", {"CLUSTER", "KEYSLOT", "lock:x"});
  const std::string from = OwnerOf("lock:x");
  const std::string to = from == "node-1" ? "node-2" : "node-1";
  ASSERT_EQ(Cli(to, {"CLUSTER", "SETSLOT", slot, "IMPORTING", ids_[from]}), "OK");
  ASSERT_EQ(Cli(from, {"CLUSTER", "SETSLOT", slot, "MIGRATING", ids_[to]}), "OK");
  last = a.Update(contract::HeldBy("a", 1), last->version);
  ASSERT_TRUE(contract::Succeeded(last)) << "still on the old node";

  ASSERT_EQ(Cli(from, {"MIGRATE", "127.0.0.1", PortOf(to), "lock:x", "0", "5000"}), "OK");
  last = a.Update(contract::HeldBy("a", 2), last->version);
  ASSERT_TRUE(contract::Succeeded(last)) << "on its way: ASK";
  EXPECT_TRUE(contract::IsStored(b, *last));

  for (const auto& [node, id] : ids_) ASSERT_EQ(Cli(node, {"CLUSTER", "SETSLOT", slot, "NODE", ids_[to]}), "OK");
  last = a.Update(contract::HeldBy("a", 3), last->version);
  ASSERT_TRUE(contract::Succeeded(last)) << "moved: MOVED";
  EXPECT_TRUE(contract::IsStored(b, *last));

  // The watch moves too, and hears the next write wherever it sits.
  ASSERT_TRUE(Eventually([&] {
    (void)b.Get();
    return log.events().back().kind != WatchEvent::Kind::kLost;
  }));
  last = a.Update(contract::HeldBy("a", 4), last->version);
  ASSERT_TRUE(contract::Succeeded(last));
  EXPECT_TRUE(log.WaitForWrite(last->version.order));
  EXPECT_TRUE(log.OrdersNeverFall());
}

TEST_F(RedisMove, ANodeThatDiesIsNamedAndFoundAgain) {
  const auto a = Client(servers_->Options(), "x");
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  const std::string owner = OwnerOf("lock:x");
  servers_->Do("kill", owner);
  const auto refused = a.Update(In(3s), contract::HeldBy("a", 1), created->version);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(MayHaveLanded(refused.error().code)) << refused.error().message;
  servers_->Do("start", owner);
  EXPECT_THAT(GetDefinitely(a), FailsWith(ErrorCode::kNotFound, ""));
  const auto again = a.Create(contract::HeldBy("a", 2));
  ASSERT_TRUE(contract::Succeeded(again));
  EXPECT_GT(again->version.order, created->version.order);
}

TEST_F(RedisMove, ASeedThatIsDownIsPassedOver) {
  RedisOptions options = servers_->Options();
  options.cluster_nodes = {"127.0.0.1:1", servers_->address(1)};
  const auto a = Client(options, "y");
  EXPECT_THAT(GetDefinitely(a), FailsWith(ErrorCode::kNotFound, ""));
}

}  // namespace
}  // namespace leaderelection::testing

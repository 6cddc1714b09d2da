// An agent that stops answering, dies, and comes back. Each test has one of its own.

#include <gmock/gmock.h>

#include "consul/candidates.h"
#include "consul/consul_server.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using contract::FailedWith;
using contract::HeldBy;
using contract::Succeeded;

class ConsulOutageTest : public ::testing::Test {
 protected:
  ConsulOutageTest() { RequireConsul(); }

  LockClient Connect() {
    return {
        std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(server_.Options()), ConsulLockOptions{.key = key_}),
        30s};
  }

  const ConsulServer server_;
  const std::string key_ = server_.UniqueKey();
};

TEST_F(ConsulOutageTest, RequestsToAnAgentThatIsSilentEndAtTheirDeadline) {
  const auto a = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  server_.Do("stop");
  const MonotonicTime deadline = BootClock::now() + 1s;
  EXPECT_TRUE(FailedWith(a.Get(deadline), {ErrorCode::kTimeout}));
  EXPECT_TRUE(FailedWith(a.Update(BootClock::now() + 1s, HeldBy("a", 1), created->version), {ErrorCode::kTimeout}));
  server_.Do("cont");
  EXPECT_TRUE(Succeeded(a.Get()));
}

TEST_F(ConsulOutageTest, ALockIsDestroyedInTimeThoughTheAgentIsSilent) {
  auto a = Connect();
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  server_.Do("stop");
  const MonotonicTime before = BootClock::now();
  a.Disconnect();
  EXPECT_LT(BootClock::now() - before, 15s);
  server_.Do("cont");
}

TEST_F(ConsulOutageTest, ALeaderCutOffFromItsAgentIsOverInTime) {
  Candidate a(server_.Options(), key_, "a");
  ASSERT_TRUE(a.WaitForTerms(1));
  const MonotonicTime cut = BootClock::now();
  server_.Do("stop");
  ASSERT_TRUE(a.WaitForEnds(1));
  EXPECT_LT(a.stopped_at() - cut, 15s);
  EXPECT_FALSE(a.elector().IsLeader());
  server_.Do("cont");
  EXPECT_TRUE(a.WaitForTerms(2));
}

TEST_F(ConsulOutageTest, AWatchTellsThatItBrokeAndGoesOnAfterARestart) {
  const auto a = Connect();
  WatchLog log(30s);
  const auto watch = a.lock().Observe(log.Recorder());
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  server_.Do("kill");
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLost));
  server_.Do("restart");
  const auto updated = a.Update(HeldBy("a", 1), created->version);
  ASSERT_TRUE(Succeeded(updated)) << "the session does not outlive a restart";
  EXPECT_TRUE(log.WaitForWrite(updated->version.order));
  EXPECT_TRUE(log.OrdersNeverFall());
}

TEST_F(ConsulOutageTest, AfterAKilledAgentIsBackThereIsALeaderAgain) {
  Candidate a(server_.Options(), key_, "a");
  ASSERT_TRUE(a.WaitForTerms(1));
  const std::uint64_t first = a.number();
  server_.Do("kill");
  ASSERT_TRUE(a.WaitForEnds(1));
  server_.Do("restart");
  ASSERT_TRUE(a.WaitForTerms(2));
  EXPECT_GT(a.number(), first);
}

TEST_F(ConsulOutageTest, AHandOverWorksAfterARestart) {
  Candidate a(server_.Options(), key_, "a");
  ASSERT_TRUE(a.WaitForTerms(1));
  Candidate b(server_.Options(), key_, "b");
  ASSERT_TRUE(b.WaitForLeader("a"));
  server_.Do("restart");
  a.elector().Stop();
  EXPECT_TRUE(b.WaitForTerms(1));
}

}  // namespace
}  // namespace leaderelection::testing

// Elections on a real agent that stays up.

#include <gtest/gtest.h>

#include <future>

#include "consul/candidates.h"
#include "consul/child.h"
#include "consul/consul_server.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;

// So long that within a test only the watch can have told.
constexpr Durations kLong{.lease = 120s, .renew = 100s, .retry = 60s};

class ConsulElectorTest : public ::testing::Test {
 protected:
  ConsulElectorTest() { RequireConsul(); }

  bool WaitForSession(const std::function<bool(const std::string&)>& as_wished) const {
    const MonotonicTime end = BootClock::now() + 30s;
    std::promise<void> never;
    const auto pause = never.get_future();
    while (BootClock::now() < end) {
      const auto read = server_.Read(key_);
      if (read.key && as_wished(read.key->session)) return true;
      (void)pause.wait_for(50ms);
    }
    return false;
  }

  const ConsulServer server_ = ConsulServer::Shared();
  const std::string key_ = server_.UniqueKey();
};

TEST_F(ConsulElectorTest, TheFencingNumberIsTheModifyIndexOfTheAcquiringWrite) {
  Candidate a(server_.Options(), key_, "a", kLong);
  ASSERT_TRUE(a.WaitForTerms(1));
  EXPECT_EQ(a.number(), server_.Read(key_).key->modify_index);
}

TEST_F(ConsulElectorTest, AReleaseIsHandedOnByABlockingQuery) {
  Candidate a(server_.Options(), key_, "a", kLong);
  ASSERT_TRUE(a.WaitForTerms(1));
  Candidate b(server_.Options(), key_, "b", kLong);
  ASSERT_TRUE(b.WaitForLeader("a"));
  a.elector().Stop();
  ASSERT_TRUE(b.WaitForTerms(1));
  EXPECT_GT(b.number(), a.number());
}

TEST_F(ConsulElectorTest, ASessionDestroyedFromOutsideEndsTheTermAtOnce) {
  Candidate a(server_.Options(), key_, "a", kLong);
  ASSERT_TRUE(a.WaitForTerms(1));
  server_.DestroySession(server_.Read(key_).key->session);
  ASSERT_TRUE(a.WaitForEnds(1));
}

TEST_F(ConsulElectorTest, WhoLostItsSessionLeadsAgainAfterTheLockDelay) {
  Candidate a(server_.Options(), key_, "a", {}, {.lock_delay = 2s});
  ASSERT_TRUE(a.WaitForTerms(1));
  const std::uint64_t first = a.number();
  server_.DestroySession(server_.Read(key_).key->session);
  ASSERT_TRUE(a.WaitForTerms(2));
  EXPECT_GT(a.number(), first);
}

TEST_F(ConsulElectorTest, ADeletedKeyEndsTheTermAtOnce) {
  Candidate a(server_.Options(), key_, "a", kLong);
  ASSERT_TRUE(a.WaitForTerms(1));
  server_.Delete(key_);
  ASSERT_TRUE(a.WaitForEnds(1));
}

TEST_F(ConsulElectorTest, AForeignValueEndsTheTermAndIsWaitedForUntilItIsGone) {
  Candidate a(server_.Options(), key_, "a");
  ASSERT_TRUE(a.WaitForTerms(1));
  server_.Put(key_, "port=8080");
  ASSERT_TRUE(a.WaitForEnds(1));
  EXPECT_EQ(server_.Read(key_).key->value, "port=8080");
  server_.Delete(key_);
  EXPECT_TRUE(a.WaitForTerms(2));
}

class ConsulTakeOverTest : public ConsulElectorTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ConsulTakeOverTest, AKilledLeaderIsReplacedWhenItsLeaseIsOverWhateverTheLockDelay) {
  Child victim(std::string("exec '") + CONSUL_CANDIDATE + "' '" + server_.Content("http") + "' '" +
               server_.File("token/elector") + "' '" + key_ + "' victim " + GetParam());
  ASSERT_TRUE(WaitForSession([](const std::string& session) { return !session.empty(); }));
  Candidate b(server_.Options(), key_, "b");
  ASSERT_TRUE(b.WaitForLeader("victim"));
  victim.End(SIGKILL);
  const MonotonicTime killed = BootClock::now();
  const auto left = server_.Read(key_).key.value();
  ASSERT_TRUE(b.WaitForTerms(1));
  EXPECT_GT(b.number(), left.modify_index);
  // Consul would have freed the key 20 seconds after the victim's last renewal, and then have delayed it.
  EXPECT_LT(b.started_at() - killed, 18s);
  EXPECT_TRUE(server_.HasSession(left.session)) << "the dead holder's session was not ours to destroy";
}

INSTANTIATE_TEST_SUITE_P(LockDelay, ConsulTakeOverTest, ::testing::Values("0", "60"));

// `consul lock` holds prefix/.lock while its child runs, and deletes it afterwards.
TEST_F(ConsulElectorTest, ConsulLockWaitsForOurLeaderAndOurLeaderForConsulLock) {
  const std::string prefix = key_.substr(0, key_.rfind('/'));
  Candidate a(server_.Options(), key_, "a");
  ASSERT_TRUE(a.WaitForTerms(1));
  const std::string ours = server_.Read(key_).key->session;
  Child stranger(server_.Command("lock '" + prefix + "' 'sleep 120' >/dev/null 2>&1"));
  a.elector().StepDown();
  ASSERT_TRUE(a.WaitForEnds(1));
  ASSERT_TRUE(WaitForSession([&](const std::string& session) { return !session.empty() && session != ours; }));
  const auto during = server_.Read(key_).key;
  ASSERT_TRUE(during);
  EXPECT_EQ(consul::Judge(*during, [](const std::string&) { return false; }).kind, consul::Finding::Kind::kForeign);
  // Long enough for it to have stood again had it not been held off.
  std::promise<void> never;
  (void)never.get_future().wait_for(5s);
  EXPECT_FALSE(a.elector().IsLeader());
  EXPECT_EQ(server_.Read(key_).key->session, during->session);
  stranger.Signal(SIGTERM);
  EXPECT_TRUE(a.WaitForTerms(2));
}

}  // namespace
}  // namespace leaderelection::testing

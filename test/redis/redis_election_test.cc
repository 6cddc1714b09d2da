// Elections on real servers that are restarted, hang, forget and are cut off. Each run is judged by its history.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "leaderelection/memory_lock.h"
#include "redis/candidate.h"
#include "redis/history.h"
#include "redis/redis_test.h"

namespace leaderelection::testing {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

namespace {

using namespace std::chrono_literals;

// By the clock, and not by what anybody does.
void WaitUntil(MonotonicTime time) {
  std::promise<void> never;
  while (BootClock::now() < time) never.get_future().wait_for(time - BootClock::now()), never = {};
}

class Elections : public RedisTest {
 protected:
  void Use(const std::string& kind) { servers_ = std::make_unique<RedisServers>(kind); }
  void TearDown() override {
    if (!servers_) return;
    EXPECT_TRUE(history_.IsSound());
  }

  std::unique_ptr<Candidate> Stand(const std::string& identity, Durations durations = {}) {
    return Stand(servers_->Options(), identity, durations);
  }
  std::unique_ptr<Candidate> Stand(const RedisOptions& options, const std::string& identity, Durations durations = {}) {
    auto lock = std::make_shared<RedisLock>(std::make_shared<RedisClient>(options), "x");
    return std::make_unique<Candidate>(history_, std::move(lock), identity, durations);
  }

  // A term that is newer than the one with this number.
  std::optional<Term> TermAfter(std::uint64_t number) {
    EXPECT_TRUE(Eventually([&] {
      const auto newest = history_.Newest();
      return newest && newest->fencing_token() > number && newest->IsValid();
    })) << "nobody leads";
    return history_.Newest();
  }
  std::optional<Term> FirstTerm() { return TermAfter(0); }

  // Whoever leads lets go and another takes over: the servers, and the way to them, are as good as new.
  void ExpectHandOff(std::initializer_list<Candidate*> all) {
    const auto leader = [&] {
      return std::find_if(all.begin(), all.end(), [](auto* c) { return c->elector().IsLeader(); });
    };
    auto holder = all.end();
    ASSERT_TRUE(Eventually([&] { return (holder = leader()) != all.end(); }));
    (*holder)->elector().Stop();
    EXPECT_TRUE(Eventually([&] { return leader() != all.end(); })) << "nobody takes over";
    (*holder)->elector().Start();
  }

  static ::testing::AssertionResult IsRenewed(const Candidate& candidate, const Term& term) {
    const MonotonicTime now = BootClock::now();
    const auto renewed = Eventually([&] { return !term.IsValid() || candidate.LastRenewal(term) > now; });
    if (!term.IsValid()) return ::testing::AssertionFailure() << "the term is lost";
    return renewed;
  }

  History history_;
  std::unique_ptr<RedisServers> servers_;
};

class RedisElection : public Elections {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) Use("standalone");
  }
  std::string Cli(const std::vector<std::string>& words) { return servers_->Cli("server", words); }
};

TEST(RedisHistory, TwoThatLeadAtOneTimeAreSeen) {
  History history;
  const Candidate a(history, std::make_shared<MemoryLock>(), "a");
  const Candidate b(history, std::make_shared<MemoryLock>(), "b");
  EXPECT_TRUE(Eventually([&] { return !history.IsSound() && history.Newest(); }));
}

TEST(RedisHistory, NumbersThatDoNotRiseAreSeen) {
  History history;
  for (const char* identity : {"a", "b"}) {
    Candidate candidate(history, std::make_shared<MemoryLock>(), identity);
    ASSERT_TRUE(Eventually([&] { return candidate.elector().IsLeader(); }));
    ASSERT_TRUE(
        Eventually([&] { return identity == std::string_view("a") ? bool(history.Newest()) : !history.IsSound(); }));
  }
}

TEST_F(RedisElection, AReleaseIsHeardByTheOneWhoWaitsLongBeforeHeWouldAsk) {
  const auto a = Stand("a", kSlowDurations);
  auto last = FirstTerm();
  ASSERT_TRUE(last);
  const auto b = Stand("b", kSlowDurations);
  std::array<Candidate*, 2> both{a.get(), b.get()};
  for (int i = 0; i < 6; ++i, std::swap(both[0], both[1])) {
    ASSERT_TRUE(Eventually([&] { return both[1]->elector().GetLeader() == both[0]->elector().identity(); }));
    both[0]->elector().Stop();
    last = TermAfter(last->fencing_token());
    ASSERT_EQ(last->identity(), both[1]->elector().identity());
    both[0]->elector().Start();
  }
}

TEST_F(RedisElection, AHolderThatVanishesIsReplacedAndNotBeforeItsLeaseIsOver) {
  auto a = Stand("a");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  const auto b = Stand("b");
  ASSERT_TRUE(Eventually([&] { return b->elector().GetLeader() == "a"; }));
  ASSERT_TRUE(IsRenewed(*a, *first));
  const MonotonicTime renewed = a->LastRenewal(*first);
  a.reset();
  const auto second = TermAfter(first->fencing_token());
  EXPECT_EQ(second->identity(), "b");
  EXPECT_GE(b->LastRenewal(*second), renewed + 3s);
}

TEST_F(RedisElection, AServerThatIsRestartedAndHasForgottenEverythingIsUsedAgain) {
  const auto a = Stand("a");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  const auto b = Stand("b");
  servers_->Do("kill", "server");
  ASSERT_TRUE(Eventually([&] { return !first->IsValid(); }));
  servers_->Do("start", "server");
  ASSERT_TRUE(TermAfter(first->fencing_token()));
  ExpectHandOff({a.get(), b.get()});
}

TEST_F(RedisElection, WhileAServerHangsTheTermEndsByTheClockAndThereIsALeaderOnceItGoesOn) {
  const auto a = Stand("a");
  const auto b = Stand("b");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  servers_->Do("stop", "server");
  const MonotonicTime stopped = BootClock::now();
  WaitUntil(stopped + 2s);
  EXPECT_FALSE(first->IsValid());
  EXPECT_FALSE(a->elector().IsLeader());
  EXPECT_FALSE(b->elector().IsLeader());
  WaitUntil(stopped + 4s);
  EXPECT_FALSE(a->elector().IsLeader() || b->elector().IsLeader()) << "nobody can have told them";
  servers_->Do("cont", "server");
  ASSERT_TRUE(TermAfter(first->fencing_token()));
  ExpectHandOff({a.get(), b.get()});
}

TEST_F(RedisElection, APauseLongerThanTheTermEndsItByTheClockAndThereIsALeaderAfterIt) {
  const auto a = Stand("a");
  const auto b = Stand("b");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  ASSERT_EQ(Cli({"CLIENT", "PAUSE", "4000", "ALL"}), "OK");
  WaitUntil(BootClock::now() + 2s);
  EXPECT_FALSE(first->IsValid());
  ASSERT_TRUE(TermAfter(first->fencing_token()));
  ExpectHandOff({a.get(), b.get()});
}

TEST_F(RedisElection, AServerOutOfMemoryEndsTheTermAndThereIsALeaderOnceItHasSome) {
  const auto a = Stand("a");
  const auto b = Stand("b");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  ASSERT_EQ(Cli({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  WaitUntil(BootClock::now() + 2s);
  EXPECT_FALSE(first->IsValid());
  ASSERT_EQ(Cli({"CONFIG", "SET", "maxmemory", "0"}), "OK");
  ASSERT_TRUE(TermAfter(first->fencing_token()));
  ExpectHandOff({a.get(), b.get()});
}

TEST_F(RedisElection, AFlushedScriptCacheCostsNoTerm) {
  const auto a = Stand("a", kPatientDurations);
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(Cli({"SCRIPT", "FLUSH"}), "OK");
    ASSERT_TRUE(IsRenewed(*a, *first));
  }
}

TEST_F(RedisElection, AChangedPasswordEndsTheTermAndThereIsALeaderOnceTheFileHoldsTheNewOne) {
  const TemporaryFolder folder;
  Cli({"CONFIG", "SET", "requirepass", "first"});
  RedisOptions options = servers_->Options();
  options.password_file = folder.Write("password", "first\n");
  const auto a = Stand(options, "a");
  const auto b = Stand(options, "b");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  Cli({"--pass", "first", "--no-auth-warning", "CONFIG", "SET", "requirepass", "second"});
  for (const char* type : {"normal", "pubsub"})
    Cli({"--pass", "second", "--no-auth-warning", "CLIENT", "KILL", "TYPE", type});
  WaitUntil(BootClock::now() + 2s);
  EXPECT_FALSE(first->IsValid());
  folder.Write("password", "second\n");
  ASSERT_TRUE(TermAfter(first->fencing_token()));
  ExpectHandOff({a.get(), b.get()});
}

class RedisElectionWithReplicas : public Elections {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) Use("sentinel");
  }
  std::string PortOf(std::size_t index) const {
    const std::string address = servers_->address(index);
    return address.substr(address.find(':') + 1);
  }
  // One of the servers without asking the sentinels.
  RedisOptions Direct(std::size_t index) const {
    RedisOptions options = servers_->Options();
    options.sentinels.clear();
    options.sentinel_master = options.sentinel_password = "";
    options.sentinel_tls = {};
    options.port = static_cast<std::uint16_t>(std::stoi(PortOf(index)));
    options.min_replicas = 1;
    return options;
  }
};

TEST_F(RedisElectionWithReplicas, APrimaryThatDiesLeavesNeverTwoLeadersAndNumbersThatRise) {
  const auto a = Stand("a");
  const auto b = Stand("b");
  const auto c = Stand("c");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  ASSERT_TRUE(Eventually([&] { return b->elector().GetLeader() == first->identity(); }));
  servers_->Do("kill", "primary");
  WaitUntil(BootClock::now() + 2s);
  // Over by now, unless a very quick failover let it be renewed on the new primary.
  const auto second = TermAfter(first->IsValid() ? 0 : first->fencing_token());
  ASSERT_TRUE(second);
  ExpectHandOff({a.get(), b.get(), c.get()});
  EXPECT_NE(TermAfter(second->fencing_token())->identity(), second->identity());
}

TEST_F(RedisElectionWithReplicas, ALeaderCutOffTogetherWithItsPrimaryEndsInTimeAndAnotherLeadsOnThePromotedOne) {
  for (const char* sentinel : {"sentinel-1", "sentinel-2", "sentinel-3"}) servers_->Do("kill", sentinel);
  const auto leader = Stand(Direct(0), "cut-off");
  const auto first = FirstTerm();
  ASSERT_TRUE(first);
  // All that is acknowledged from here on, replica-1 has; then the rest of the world goes on without the primary and
  // its leader, who are not told.
  servers_->Cli("replica-2", {"REPLICAOF", "127.0.0.1", PortOf(1)});
  ASSERT_TRUE(Eventually([&] {
    return servers_->Cli("primary", {"INFO", "replication"}).find("connected_slaves:1") != std::string::npos;
  }));
  const auto before = TermAfter(first->fencing_token() - 1);  // the same, as a rule
  servers_->Cli("replica-1", {"REPLICAOF", "NO", "ONE"});
  const MonotonicTime cut = BootClock::now();
  const auto rival = Stand(Direct(1), "rival");
  WaitUntil(cut + 2s);
  EXPECT_FALSE(leader->elector().IsLeader()) << "the primary goes on acknowledging, but no replica does";
  const auto second = TermAfter(before->fencing_token());
  EXPECT_EQ(second->identity(), "rival");
  ASSERT_TRUE(IsRenewed(*rival, *second));
  EXPECT_FALSE(leader->elector().IsLeader());
}

class RedisElectionInACluster : public Elections {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) Use("cluster");
  }
};

TEST_F(RedisElectionInACluster, ASlotThatMovesDuringATermCostsNoTermAndTheOtherStillHearsOfTheRelease) {
  const auto a = Stand("a", kPatientDurations);
  const auto term = FirstTerm();
  ASSERT_TRUE(term);
  const auto b = Stand("b", kPatientDurations);
  const std::string slot = servers_->Cli("node-1", {"CLUSTER", "KEYSLOT", "lock:x"});
  const std::size_t from = std::stoi(slot) <= 5460 ? 0 : std::stoi(slot) <= 10922 ? 1 : 2;  // as redis-cli deals
  const std::size_t to = (from + 1) % 3;
  const std::array<std::string, 3> nodes{"node-1", "node-2", "node-3"};
  const auto id = [&](std::size_t node) { return servers_->Cli(nodes.at(node), {"CLUSTER", "MYID"}); };
  const std::string port = servers_->address(to).substr(servers_->address(to).find(':') + 1);

  ASSERT_EQ(servers_->Cli(nodes.at(to), {"CLUSTER", "SETSLOT", slot, "IMPORTING", id(from)}), "OK");
  ASSERT_EQ(servers_->Cli(nodes.at(from), {"CLUSTER", "SETSLOT", slot, "MIGRATING", id(to)}), "OK");
  ASSERT_TRUE(IsRenewed(*a, *term)) << "still on the old node";
  ASSERT_EQ(servers_->Cli(nodes.at(from), {"MIGRATE", "127.0.0.1", port, "lock:x", "0", "5000"}), "OK");
  ASSERT_TRUE(IsRenewed(*a, *term)) << "on its way: ASK";
  for (const std::string& node : nodes)
    ASSERT_EQ(servers_->Cli(node, {"CLUSTER", "SETSLOT", slot, "NODE", id(to)}), "OK");
  ASSERT_TRUE(IsRenewed(*a, *term)) << "moved: MOVED";
  ExpectHandOff({a.get(), b.get()});
}

}  // namespace
}  // namespace leaderelection::testing

// What Consul sees of a lock, and what a lock makes of what others do to its key.

#include "leaderelection/consul_lock.h"

#include <gmock/gmock.h>

#include <future>
#include <stdexcept>

#include "consul/consul_server.h"
#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using contract::FailedWith;
using contract::HeldBy;
using contract::Succeeded;
using ::testing::HasSubstr;
using ::testing::Not;

class ConsulLockTest : public ::testing::Test {
 protected:
  ConsulLockTest() { RequireConsul(); }

  LockClient Connect(ConsulSession session = {}) {
    return {std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(server_.Options()),
                                         ConsulLockOptions{.key = key_, .session = std::move(session)}),
            30s};
  }
  LockClient ConnectAs(ConsulOptions options) {
    return {std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(options), ConsulLockOptions{.key = key_}), 30s};
  }
  consul::KeyValue Key() const { return server_.Read(key_).key.value(); }

  const ConsulServer server_ = ConsulServer::Shared();
  const std::string key_ = server_.UniqueKey();
};

TEST_F(ConsulLockTest, TheKeyIsLockedBySessionAndMarkedAsConsulsOwnClientsMarkTheirs) {
  const auto a = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  EXPECT_TRUE(server_.HasSession(Key().session));
  EXPECT_EQ(Key().flags, consul::kLockFlag);
  EXPECT_EQ(Key().modify_index, created->version.order);
}

TEST_F(ConsulLockTest, ARenewalKeepsTheSession) {
  const auto a = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  const std::string session = Key().session;
  ASSERT_TRUE(Succeeded(a.Update(HeldBy("a", 1), created->version)));
  EXPECT_EQ(Key().session, session);
}

TEST_F(ConsulLockTest, AReleaseFreesTheKeyAndTheSessionGoesWithTheLock) {
  auto a = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  const std::string session = Key().session;
  ASSERT_TRUE(Succeeded(a.Update(HeldBy(""), created->version)));
  EXPECT_EQ(Key().session, "");
  a.Disconnect();
  EXPECT_FALSE(server_.HasSession(session));
}

TEST_F(ConsulLockTest, WhoStandsAgainSoonAfterAReleaseKeepsItsSession) {
  const auto a = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  const std::string session = Key().session;
  const auto released = a.Update(HeldBy(""), created->version);
  ASSERT_TRUE(Succeeded(released));
  ASSERT_TRUE(Succeeded(a.Update(HeldBy("a", 1), released->version)));
  EXPECT_EQ(Key().session, session);
}

TEST_F(ConsulLockTest, ASessionThatIsNotNeededAfterAReleaseIsDestroyed) {
  const auto a = Connect({.ttl = 10s});
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  const std::string session = Key().session;
  ASSERT_TRUE(Succeeded(a.Update(HeldBy(""), created->version)));
  const MonotonicTime end = BootClock::now() + 15s;  // Consul itself would take 20.
  std::promise<void> never;
  const auto pause = never.get_future();
  while (server_.HasSession(session) && BootClock::now() < end) (void)pause.wait_for(100ms);
  EXPECT_FALSE(server_.HasSession(session));
}

TEST_F(ConsulLockTest, TheSessionOfAHeldKeyGoesWithTheLock) {
  auto a = Connect();
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  const std::string session = Key().session;
  a.Disconnect();
  EXPECT_FALSE(server_.HasSession(session));
}

TEST_F(ConsulLockTest, ALockMayBeDestroyedInItsOwnDone) {
  auto lock =
      std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(server_.Options()), ConsulLockOptions{.key = key_});
  std::promise<void> destroyed;
  ConsulLock& called = *lock;
  called.Create(BootClock::now() + 30s, HeldBy("a"), Done<Stored>([&, lock = std::move(lock)](const auto&) mutable {
                  lock.reset();
                  destroyed.set_value();
                }));
  EXPECT_EQ(destroyed.get_future().wait_for(30s), std::future_status::ready);
}

TEST_F(ConsulLockTest, ATakeOverWaitsForNoLockDelayAndLeavesTheOldSessionAlone) {
  const auto a = Connect({.lock_delay = 60s});
  const auto b = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  const std::string session = Key().session;
  const auto seen = b.Get();
  ASSERT_TRUE(Succeeded(seen));
  ASSERT_TRUE(Succeeded(b.Update(HeldBy("b"), seen->version)));
  EXPECT_NE(Key().session, session);
  EXPECT_TRUE(server_.HasSession(session));
  EXPECT_TRUE(FailedWith(a.Update(HeldBy("a", 1), created->version), {ErrorCode::kConflict}));
}

TEST_F(ConsulLockTest, WhereConsulTookTheKeyItsLockDelayRefusesEveryone) {
  const auto a = Connect({.lock_delay = 60s});
  const auto b = Connect();
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  server_.DestroySession(Key().session);
  const auto seen = b.Get();
  ASSERT_TRUE(Succeeded(seen));
  EXPECT_EQ(seen->record.holder_identity, "a");
  EXPECT_TRUE(FailedWith(b.Update(HeldBy("b"), seen->version), {ErrorCode::kThrottled}));
  EXPECT_TRUE(FailedWith(a.Create(HeldBy("a", 1)), {ErrorCode::kThrottled}));
}

TEST_F(ConsulLockTest, WithoutALockDelayTheRecordThatLostItsSessionIsReplacedByVersion) {
  const auto a = Connect({.lock_delay = 0s});
  const auto b = Connect();
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  server_.DestroySession(Key().session);
  const auto seen = b.Get();
  ASSERT_TRUE(Succeeded(seen));
  EXPECT_TRUE(Succeeded(b.Update(HeldBy("b"), seen->version)));
}

TEST_F(ConsulLockTest, ToItsWriterARecordThatLostItsSessionIsGone) {
  const auto a = Connect({.lock_delay = 0s});
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  WatchLog log(30s);
  const auto watch = a.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  server_.DestroySession(Key().session);
  const auto deletion = log.WaitForKind(WatchEvent::Kind::kDeleted);
  ASSERT_TRUE(deletion);
  EXPECT_GT(deletion->stored.version.order, created->version.order);
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kNotFound}));
  EXPECT_TRUE(FailedWith(a.Update(HeldBy("a", 1), created->version), {ErrorCode::kConflict}));
  const auto again = a.Create(HeldBy("a", 2));
  ASSERT_TRUE(Succeeded(again));
  EXPECT_GT(again->version.order, deletion->stored.version.order);
  EXPECT_NE(Key().session, "");
}

TEST_F(ConsulLockTest, ASessionMayTakeItsKeyWithIt) {
  const auto a = Connect({.lock_delay = 0s, .behavior = ConsulSession::Behavior::kDelete});
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  server_.DestroySession(Key().session);
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kNotFound}));
  EXPECT_FALSE(server_.Read(key_).key);
}

TEST_F(ConsulLockTest, ASessionHasTheSettingsThatAFunctionGives) {
  const LockClient a(
      std::make_shared<ConsulLock>(
          std::make_shared<ConsulClient>(server_.Options()),
          ConsulLockOptions{.key = key_,
                            .session_provider = [] { return ConsulSession{.name = "by function", .ttl = 77s}; }}),
      30s);
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  const std::string info = server_.Ask("GET", "/v1/session/info/" + Key().session).body;
  EXPECT_THAT(info, HasSubstr("\"by function\""));
  EXPECT_THAT(info, HasSubstr("\"TTL\":\"77000ms\""));
  EXPECT_THAT(info, HasSubstr("\"LockDelay\":60000000000"));  // as long as the lease, in nanoseconds
  EXPECT_THAT(info, Not(HasSubstr("serfHealth")));
}

TEST_F(ConsulLockTest, WrongSettingsOfAFunctionFailTheWrite) {
  const LockClient a(std::make_shared<ConsulLock>(
                         std::make_shared<ConsulClient>(server_.Options()),
                         ConsulLockOptions{.key = key_, .session_provider = [] { return ConsulSession{.ttl = 1s}; }}),
                     30s);
  const auto created = a.Create(HeldBy("a"));
  EXPECT_TRUE(FailedWith(created, {ErrorCode::kInvalid}));
  EXPECT_THAT(created.error().message, HasSubstr("10 seconds"));
}

TEST_F(ConsulLockTest, ASessionIsTiedToTheNodesHealthIfAsked) {
  const auto a = Connect({.node_checks = {"serfHealth"}});
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  EXPECT_THAT(server_.Ask("GET", "/v1/session/info/" + Key().session).body, HasSubstr("serfHealth"));
}

// Consul frees a key 20 seconds after the last renewal of a session of 10.
TEST_F(ConsulLockTest, ASessionIsRenewedForAsLongAsTheLockLives) {
  const auto a = Connect({.ttl = 10s});
  ASSERT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  const std::string session = Key().session;
  std::promise<void> never;
  (void)never.get_future().wait_for(25s);
  EXPECT_TRUE(server_.HasSession(session));
  EXPECT_EQ(Key().session, session);
}

TEST_F(ConsulLockTest, AForeignValueIsReportedAndNeverOverwritten) {
  server_.Put(key_, "port=8080");
  const auto a = Connect();
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kCorrupt}));
  EXPECT_TRUE(FailedWith(a.Create(HeldBy("a")), {ErrorCode::kCorrupt}));
  EXPECT_EQ(Key().value, "port=8080");
  EXPECT_EQ(Key().session, "");
}

TEST_F(ConsulLockTest, AForeignValueWrittenOverARecordEndsItAndIsKept) {
  const auto a = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  WatchLog log(30s);
  const auto watch = a.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  server_.Put(key_, "port=8080");
  EXPECT_TRUE(log.WaitForKind(WatchEvent::Kind::kDeleted));
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kCorrupt}));
  EXPECT_TRUE(FailedWith(a.Update(HeldBy("a", 1), created->version), {ErrorCode::kConflict}));
  EXPECT_EQ(Key().value, "port=8080");
}

TEST_F(ConsulLockTest, AKeyThatAnotherConsulClientHoldsIsLeftAloneUntilItsSessionGoes) {
  const std::string stranger = server_.MakeSession();
  const std::string flag = "&flags=" + std::to_string(consul::kLockFlag);
  server_.Put(key_, "a stranger's", "?acquire=" + stranger + flag);
  const auto a = Connect();
  const auto read = a.Get();
  EXPECT_TRUE(FailedWith(read, {ErrorCode::kCorrupt}));
  EXPECT_THAT(read.error().message, HasSubstr(stranger));
  EXPECT_TRUE(FailedWith(a.Create(HeldBy("a")), {ErrorCode::kCorrupt}));
  server_.Put(key_, "a stranger's", "?release=" + stranger + flag);
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kNotFound}));
  EXPECT_TRUE(Succeeded(a.Create(HeldBy("a"))));
  server_.DestroySession(stranger);
}

TEST_F(ConsulLockTest, AReleasedRecordThatAStrangerHasLockedIsHeld) {
  const auto a = Connect();
  const auto created = a.Create(HeldBy("a"));
  ASSERT_TRUE(Succeeded(created));
  const auto released = a.Update(HeldBy(""), created->version);
  ASSERT_TRUE(Succeeded(released));
  const std::string stranger = server_.MakeSession();
  server_.Put(key_, Key().value, "?acquire=" + stranger);
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kCorrupt}));
  EXPECT_TRUE(FailedWith(a.Update(HeldBy("a", 1), released->version), {ErrorCode::kConflict}));
  EXPECT_EQ(Key().session, stranger);
  server_.DestroySession(stranger);
}

TEST_F(ConsulLockTest, AFreeKeyWithoutAValueIsTaken) {
  server_.Put(key_, "");
  const auto a = Connect();
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kNotFound}));
  EXPECT_TRUE(Succeeded(a.Create(HeldBy("a"))));
}

TEST_F(ConsulLockTest, AWrongTokenIsDeniedAndNotRepeated) {
  const std::string wrong = "0f0f0f0f-1111-2222-3333-444444444444";
  const auto a = ConnectAs({.address = server_.Content("http"), .token = wrong});
  for (const auto& answer : {a.Get(), a.Create(HeldBy("a"))}) {
    ASSERT_TRUE(FailedWith(answer, {ErrorCode::kDenied}));
    EXPECT_THAT(answer.error().message, Not(HasSubstr(wrong)));
  }
}

TEST_F(ConsulLockTest, AKeyOutsideTheTokensPrefixIsDeniedByName) {
  const LockClient a(std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(server_.Options()),
                                                  ConsulLockOptions{.key = "elsewhere/leader"}),
                     30s);
  for (const auto& answer : {a.Get(), a.Create(HeldBy("a"))}) {
    ASSERT_TRUE(FailedWith(answer, {ErrorCode::kDenied}));
    EXPECT_THAT(answer.error().message, HasSubstr("token"));
    EXPECT_THAT(answer.error().message, Not(HasSubstr(server_.Content("token/elector"))));
  }
}

TEST_F(ConsulLockTest, ATokenFileThatChangesIsReadAgain) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("token", "0f0f0f0f-1111-2222-3333-444444444444");
  const auto a = ConnectAs({.address = server_.Content("http"), .token_file = file});
  ASSERT_TRUE(FailedWith(a.Get(), {ErrorCode::kDenied}));
  (void)folder.Write("token", server_.Content("token/elector") + "\n");
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kNotFound}));
  (void)folder.Write("token", "");
  EXPECT_TRUE(FailedWith(a.Get(), {ErrorCode::kNotFound})) << "an empty file takes the old token away";
}

TEST_F(ConsulLockTest, HttpsWithoutTheClientCertificateIsRefused) {
  ConsulOptions options = server_.TlsOptions();
  options.certificate_file = options.key_file = "";
  EXPECT_TRUE(FailedWith(ConnectAs(options).Get(), {ErrorCode::kUnknown}));
}

TEST_F(ConsulLockTest, HttpsOfAnUnknownAuthorityIsRefused) {
  ConsulOptions options = server_.TlsOptions();
  options.ca_file = "";
  EXPECT_TRUE(FailedWith(ConnectAs(options).Get(), {ErrorCode::kUnknown}));
}

TEST_F(ConsulLockTest, ANamespaceIsSaidToConsul) {
  ConsulOptions options = server_.Options();
  options.consul_namespace = "team";
  const auto answer = ConnectAs(options).Get();
  ASSERT_TRUE(FailedWith(answer, {ErrorCode::kInvalid}));
  EXPECT_THAT(answer.error().message, HasSubstr("Enterprise"));
}

TEST_F(ConsulLockTest, ADatacenterIsSaidToConsul) {
  ConsulOptions options = server_.Options();
  options.datacenter = "dc1";
  EXPECT_TRUE(Succeeded(ConnectAs(options).Create(HeldBy("a"))));
  options.datacenter = "nowhere";
  const auto answer = ConnectAs(options).Get();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("datacenter"));
}

}  // namespace
}  // namespace leaderelection::testing

// What the record is like on a real server, and what is done to what is not one.

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "net/scripted_server.h"
#include "redis/redis_test.h"

namespace leaderelection::testing {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

namespace {

using namespace std::chrono_literals;

std::ptrdiff_t CountThreads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

int CountSockets() {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(file, gone).string().starts_with("socket:")) ++count;
  }
  return count;
}

class RedisLockOnServer : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    servers_ = std::make_unique<RedisServers>(RedisServers::Shared("standalone"));
  }

  LockClient Connect() { return Client(servers_->Options(), name_); }
  std::string Cli(const std::vector<std::string>& words) { return servers_->Cli("server", words); }

  const std::string name_ = UniqueName("lock");
  const std::string key_ = "lock:" + name_;
  std::unique_ptr<RedisServers> servers_;
};

TEST_F(RedisLockOnServer, AHeldRecordExpiresByItselfAndTheNumberRisesAllTheSame) {
  const auto a = Connect();
  WatchLog log(kPatience);
  const auto watch = a.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  const auto created = a.Create(Lasting(300ms, "a"));
  ASSERT_TRUE(contract::Succeeded(created));
  EXPECT_EQ(created->expires_in, 300ms);
  ASSERT_TRUE(Eventually([&] { return !a.Get().ok(); }));
  EXPECT_THAT(a.Get(), FailsWith(ErrorCode::kNotFound, key_));
  EXPECT_TRUE(log.WaitForKind(WatchEvent::Kind::kDeleted)) << "the server notes the ends of keys";
  const auto again = Connect().Create(Lasting(60s, "b"));
  ASSERT_TRUE(contract::Succeeded(again));
  EXPECT_GT(again->version.order, created->version.order);
}

TEST_F(RedisLockOnServer, ARenewalExtendsTheExpiry) {
  const auto a = Connect();
  const auto created = a.Create(Lasting(60s, "a"));
  ASSERT_TRUE(contract::Succeeded(a.Update(Lasting(600s, "a"), created->version)));
  EXPECT_GT(a.Get()->expires_in.value_or(0ms), 500s);
}

TEST_F(RedisLockOnServer, AReleaseWritesARecordWithoutAHolderThatLastsADay) {
  const auto a = Connect();
  const auto created = a.Create(Lasting(1s, "a"));
  ASSERT_TRUE(contract::Succeeded(a.Update(Lasting(1s, ""), created->version)));
  const auto read = a.Get();
  ASSERT_TRUE(contract::Succeeded(read));
  EXPECT_EQ(read->record.holder_identity, "");
  EXPECT_GT(read->expires_in.value_or(0ms), 23h);
}

TEST_F(RedisLockOnServer, AReleaseThatWasDelayedDoesNotFreeTheSameHoldersNextTerm) {
  const auto a = Connect();
  const auto first = a.Create(contract::HeldBy("a"));
  const auto released = a.Update(contract::HeldBy(""), first->version);
  const auto second = a.Update(contract::HeldBy("a"), released->version);  // the very same record, but for the number
  ASSERT_TRUE(contract::Succeeded(second));
  EXPECT_THAT(a.Update(contract::HeldBy(""), first->version), FailsWith(ErrorCode::kConflict, key_));
  EXPECT_TRUE(contract::IsStored(a, *second));
}

TEST_F(RedisLockOnServer, TheNumberIsTheServersTimeInMicroseconds) {
  const auto before = std::stoull(Cli({"EVAL", "local t=redis.call('TIME') return t[1]..'000000'", "0"}));
  const auto created = Connect().Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  EXPECT_GE(created->version.order, before);
  EXPECT_LT(created->version.order, before + 60'000'000);
}

TEST_F(RedisLockOnServer, TheNumberIsAboveAllThatTheWriterSawWhateverTheClockSays) {
  const auto a = Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  std::string text = Cli({"GET", key_});
  text.replace(text.find(std::to_string(created->version.order)), 16, "8007199254740993");
  Cli({"SET", key_, text});
  const auto ahead = a.Get();
  ASSERT_TRUE(contract::Succeeded(ahead));
  const auto updated = a.Update(contract::HeldBy("a", 1), ahead->version);
  ASSERT_TRUE(contract::Succeeded(updated));
  EXPECT_EQ(updated->version.order, 8007199254740994u) << "exact, though Lua's numbers are doubles";
  Cli({"DEL", key_});
  const auto again = a.Create(contract::HeldBy("a", 2));
  ASSERT_TRUE(contract::Succeeded(again));
  EXPECT_GT(again->version.order, updated->version.order);
}

TEST_F(RedisLockOnServer, ARecordWithoutExpiryIsNotCreatedAnewButTakenByVersion) {
  const auto a = Connect();
  ASSERT_TRUE(contract::Succeeded(a.Create(contract::HeldBy("a"))));
  Cli({"PERSIST", key_});
  const auto b = Connect();
  EXPECT_THAT(b.Create(contract::HeldBy("b")), FailsWith(ErrorCode::kAlreadyExists, key_));
  const auto read = b.Get();
  ASSERT_TRUE(contract::Succeeded(read));
  EXPECT_EQ(read->expires_in, std::nullopt);
  ASSERT_TRUE(contract::Succeeded(b.Update(contract::HeldBy("b"), read->version)));
  EXPECT_TRUE(b.Get()->expires_in) << "the new holder's record expires";
}

TEST_F(RedisLockOnServer, AKeyOfAnotherTypeIsCorruptAndLeftAlone) {
  Cli({"RPUSH", key_, "one", "two"});
  const auto a = Connect();
  EXPECT_THAT(a.Get(), FailsWith(ErrorCode::kCorrupt, "WRONGTYPE"));
  EXPECT_THAT(a.Create(contract::HeldBy("a")), FailsWith(ErrorCode::kCorrupt, "WRONGTYPE"));
  EXPECT_THAT(a.Update(contract::HeldBy("a"), Version{}), FailsWith(ErrorCode::kCorrupt, "WRONGTYPE"));
  EXPECT_EQ(Cli({"LLEN", key_}), "2");
}

TEST_F(RedisLockOnServer, AnotherProgramsValueIsCorruptAndLeftAlone) {
  const auto a = Connect();
  for (const std::string value : {"some-host:4711", "{\"format\":\"other/v1\"}", "42", ""}) {
    SCOPED_TRACE(value);
    Cli({"SET", key_, value});
    EXPECT_THAT(a.Get(), FailsWith(ErrorCode::kCorrupt, key_));
    EXPECT_THAT(a.Create(contract::HeldBy("a")), FailsWith(ErrorCode::kCorrupt, key_));
    EXPECT_THAT(a.Update(contract::HeldBy("a"), Version{.order = 1}), FailsWith(ErrorCode::kCorrupt, key_));
    EXPECT_EQ(Cli({"GET", key_}), value);
  }
}

TEST_F(RedisLockOnServer, AHugeForeignValueDoesNotBreakTheConnectionOfTheOthers) {
  Cli({"EVAL", "redis.call('SET', KEYS[1], string.rep('x', 5000000), 'EX', 60)", "1", key_});
  const auto client = std::make_shared<RedisClient>(servers_->Options());
  const LockClient a(std::make_shared<RedisLock>(client, name_), kPatience);
  const LockClient other(std::make_shared<RedisLock>(client, name_ + "-other"), kPatience);
  PendingAnswer pending;
  a.lock().Get(a.Deadline(), PendingAnswer().MakeDone());
  other.lock().Get(a.Deadline(), pending.MakeDone());
  EXPECT_THAT(pending.Wait(kPatience), FailsWith(ErrorCode::kNotFound, ""));
  EXPECT_THAT(a.Get(), FailsWith(ErrorCode::kCorrupt, "larger than any record"));
  EXPECT_THAT(a.Create(contract::HeldBy("a")), FailsWith(ErrorCode::kCorrupt, "larger than any record"));
  EXPECT_EQ(Cli({"STRLEN", key_}), "5000000");
}

TEST_F(RedisLockOnServer, WhatIsPublishedAndNoRecordIsPassedOver) {
  const auto a = Connect();
  WatchLog log(kPatience);
  const auto watch = a.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  EXPECT_EQ(Cli({"PUBLISH", key_, "nonsense"}), "1");
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(log.WaitForWrite(created->version.order));
  EXPECT_EQ(log.events().size(), 2u);
}

TEST_F(RedisLockOnServer, AThousandElectionsShareTwoConnectionsAndOneThread) {
  const auto threads_before = CountThreads();
  const auto client = std::make_shared<RedisClient>(servers_->Options());
  std::vector<std::shared_ptr<RedisLock>> locks;
  std::vector<PendingAnswer> answers(1000);
  std::vector<std::unique_ptr<Watch>> watches;
  WatchLog log(kPatience);
  for (int i = 0; i < 1000; ++i) {
    locks.push_back(std::make_shared<RedisLock>(client, name_ + std::to_string(i)));
    watches.push_back(locks.back()->Observe(log.Recorder()));
    locks.back()->Create(In(kPatience), contract::HeldBy("a"), answers[static_cast<std::size_t>(i)].MakeDone());
  }
  for (const auto& answer : answers) ASSERT_TRUE(contract::Succeeded(answer.Wait(kPatience)));
  EXPECT_TRUE(Eventually([&] {
    const auto events = log.events();
    return std::count_if(events.begin(), events.end(),
                         [](const WatchEvent& event) { return event.kind == WatchEvent::Kind::kLive; }) == 1000;
  }));
  EXPECT_EQ(CountThreads() - threads_before, 1);
  EXPECT_EQ(CountSockets(), 2);
}

TEST_F(RedisLockOnServer, TheLastReferenceToLockAndClientMayBeDroppedInsideADone) {
  PendingAnswer answer;
  {
    auto lock = std::make_shared<RedisLock>(std::make_shared<RedisClient>(servers_->Options()), name_);
    RedisLock& asked = *lock;
    asked.Get(In(kPatience),
              Done<Stored>([lock = std::move(lock), done = std::make_shared<Done<Stored>>(answer.MakeDone())](
                               Result<Stored> result) { std::move (*done)(std::move(result)); }));
  }
  EXPECT_THAT(answer.Wait(kPatience), FailsWith(ErrorCode::kNotFound, ""));
}

TEST_F(RedisLockOnServer, AWatchThatIsTheLastToHoldTheClientMayBeDestroyedInItsOwnCallback) {
  auto lock = std::make_shared<RedisLock>(std::make_shared<RedisClient>(servers_->Options()), name_);
  std::promise<void> destroyed;
  auto watch = std::make_shared<std::unique_ptr<Watch>>();
  std::promise<void> kept;
  *watch = lock->Observe([watch, &destroyed, ready = kept.get_future().share()](const WatchEvent& event) {
    ready.wait();
    if (event.kind != WatchEvent::Kind::kLive) return;
    watch->reset();
    destroyed.set_value();
  });
  lock.reset();
  watch.reset();
  kept.set_value();
  EXPECT_EQ(destroyed.get_future().wait_for(kPatience), std::future_status::ready);
}

// A stranger's answers: every request is answered, none hangs.
TEST_F(RedisLockOnServer, APortThatIsNotRedissIsNamed) {
  ScriptedServer http({}, [](Conversation& client) {
    client.Read();
    client.Send("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  RedisOptions options;
  options.port = http.port();
  EXPECT_THAT(Client(options, "x").Get(), FailsWith(ErrorCode::kUnknown, "not Redis's protocol"));
}

}  // namespace
}  // namespace leaderelection::testing

// What no real agent can be brought to answer: indexes that fall, pages of a proxy, a token repeated.

#include <gmock/gmock.h>

#include <deque>
#include <mutex>

#include "consul/key_value.h"
#include "http/http_server.h"
#include "json/base64.h"
#include "leaderelection/consul_lock.h"
#include "leaderelection/testing/lock_client.h"
#include "leaderelection/testing/watch_log.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Absent(int index) { return Reply(404, "", "X-Consul-Index: " + std::to_string(index) + "\r\n"); }

std::string Present(int index) {
  Record record;
  record.holder_identity = "a";
  const std::string value = EncodeBase64(consul::RecordToValue(record, "s").value());
  const std::string number = std::to_string(index);
  return Reply(200, R"([{"Flags":0,"Session":"s","ModifyIndex":)" + number + R"(,"Value":")" + value + R"("}])",
               "X-Consul-Index: " + number + "\r\n");
}

// Answers one request after the other, then none.
class ScriptedAgent {
 public:
  explicit ScriptedAgent(std::deque<std::string> replies)
      : replies_(std::move(replies)), server_({}, [this](Conversation& client) { Serve(client); }) {}

  std::shared_ptr<ConsulLock> Lock(const std::string& token = "") {
    const ConsulOptions options{.address = "127.0.0.1:" + std::to_string(server_.port()), .token = token};
    return std::make_shared<ConsulLock>(std::make_shared<ConsulClient>(options), ConsulLockOptions{.key = "k"});
  }
  // Of the request of this number, from 0; waits for it.
  std::string Target(std::size_t number) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 30s, [&] { return targets_.size() > number; })) return "never asked";
    return targets_[number];
  }

 private:
  void Serve(Conversation& client) {
    Requests requests(client);
    while (const auto asked = requests.Next()) {
      const auto reply = Take(asked->target);
      if (!reply) return client.Swallow();
      if (!client.Send(*reply)) return;
    }
  }
  std::optional<std::string> Take(const std::string& target) {
    std::lock_guard lock(mutex_);
    targets_.push_back(target);
    changed_.notify_all();
    if (replies_.empty()) return std::nullopt;
    std::string reply = replies_.front();
    replies_.pop_front();
    return reply;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> replies_;
  std::vector<std::string> targets_;
  ScriptedServer server_;
};

TEST(ConsulWatchTest, AnIndexThatFallsBeginsAnew) {
  ScriptedAgent agent({Present(100), Present(50), Present(50)});
  const auto lock = agent.Lock();
  WatchLog log(30s);
  const auto watch = lock->Observe(log.Recorder());
  EXPECT_EQ(agent.Target(0), "/v1/kv/k?consistent");
  EXPECT_THAT(agent.Target(1), HasSubstr("&index=100&wait="));
  EXPECT_THAT(agent.Target(2), Not(HasSubstr("index=")));
  EXPECT_THAT(agent.Target(3), HasSubstr("&index=50&wait="));
}

TEST(ConsulWatchTest, AnIndexOfZeroIsNeverWaitedFor) {
  ScriptedAgent agent({Absent(0)});
  const auto lock = agent.Lock();
  const auto watch = lock->Observe([](const WatchEvent&) {});
  EXPECT_THAT(agent.Target(1), HasSubstr("&index=1&wait="));
}

TEST(ConsulWatchTest, APageOfAProxyBreaksTheWatchAndIsNoDeletion) {
  ScriptedAgent agent({Present(7), Reply(404, "<html>not found</html>"), Present(7), Present(8)});
  const auto lock = agent.Lock();
  WatchLog log(30s);
  const auto watch = lock->Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForWrite(8));
  std::vector<WatchEvent::Kind> kinds;
  for (const WatchEvent& event : log.events()) kinds.push_back(event.kind);
  using enum WatchEvent::Kind;
  EXPECT_THAT(kinds, ::testing::ElementsAre(kLive, kChanged, kLost, kLive, kChanged));
}

TEST(ConsulWatchTest, WhatChangedWhileTheWatchWasBrokenIsTold) {
  ScriptedAgent agent({Present(7), Reply(500, "No cluster leader"), Absent(9)});
  const auto lock = agent.Lock();
  WatchLog log(30s);
  const auto watch = lock->Observe(log.Recorder());
  const auto deletion = log.WaitForKind(WatchEvent::Kind::kDeleted);
  ASSERT_TRUE(deletion);
  EXPECT_EQ(deletion->stored.version.order, 9U);
}

TEST(ConsulWatchTest, AnAbsentKeyWhoseIndexRisesIsNoNews) {
  ScriptedAgent agent({Present(7), Absent(9), Absent(11), Absent(13), Present(15)});
  const auto lock = agent.Lock();
  WatchLog log(30s);
  const auto watch = lock->Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForWrite(15));
  EXPECT_EQ(log.events().size(), 4U);  // live, changed, deleted, changed
}

TEST(ConsulWatchTest, ARefusedWatchIsTriedAgain) {
  ScriptedAgent agent({Reply(403, "Permission denied"), Present(7)});
  const auto lock = agent.Lock();
  WatchLog log(30s);
  const auto watch = lock->Observe(log.Recorder());
  const auto lost = log.WaitForKind(WatchEvent::Kind::kLost);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->error.code, ErrorCode::kDenied);
  EXPECT_TRUE(log.WaitForWrite(7));
}

TEST(ConsulWatchTest, AServerThatRepeatsTheTokenIsNotQuoted) {
  ScriptedAgent agent({Reply(500, "no such thing as canary-4711 here")});
  const LockClient client(agent.Lock("canary-4711"), 30s);
  const auto answer = client.Get();
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("no such thing as <token> here"));
}

}  // namespace
}  // namespace leaderelection::testing

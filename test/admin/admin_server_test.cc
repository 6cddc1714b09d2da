#include "leaderelection/admin_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "admin/http_client.h"
#include "leaderelection/blocking_lock.h"
#include "leaderelection/memory_lock.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<AdminServer> Started(const AdminServerOptions& options = {}) {
  auto server = AdminServer::Start(options);
  return server.ok() ? std::move(server).value() : throw std::runtime_error(server.error().message);
}

// One elector with work that goes on until it is asked to return, and those who wait for its news.
class Candidate {
 public:
  Candidate(std::shared_ptr<ResourceLock> lock, const std::string& identity, const std::string& name = "default/demo")
      : elector_({.lock = std::move(lock),
                  .callbacks = {.on_started_leading = [this](const Term& term) { Work(term); },
                                .on_stopped_leading = [this] { Note(stopped_); },
                                .on_new_leader = [this](const std::string&) { Note(leader_seen_); }},
                  .identity = identity,
                  .release_on_cancel = true,
                  .name = name,
                  .metadata = {{"zone", "x"}}}) {
    elector_.Start();
  }
  ~Candidate() { elector_.Stop(); }

  LeaderElector& elector() { return elector_; }
  bool Leads() { return Await(started_); }
  bool SeesALeader() { return Await(leader_seen_); }
  bool HasStopped() { return Await(stopped_); }

 private:
  void Work(const Term& term) {
    Note(started_);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait(lock, term.stop_token(), [] { return false; });
  }
  void Note(bool& what) {
    const std::lock_guard lock(mutex_);
    what = true;
    changed_.notify_all();
  }
  bool Await(const bool& what) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, [&] { return what; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  bool leader_seen_ = false;
  bool stopped_ = false;
  LeaderElector elector_;
};

TEST(AdminServer, ListensOnLoopbackAndAFreePortByDefault) {
  const auto server = Started();
  EXPECT_THAT(server->address(), testing::MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]+"));
}

TEST(AdminServer, SaysWhatIsWrongWithAnAddress) {
  for (const char* wrong : {"", "127.0.0.1", "localhost:80", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:80s",
                            "1.2.3.4:80,5.6.7.8:90", "::1:80", "[::1]", ":8080", "[]:80"}) {
    const auto server = AdminServer::Start({.address = wrong});
    ASSERT_FALSE(server.ok()) << wrong;
    EXPECT_EQ(server.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(server.error().message, HasSubstr("127.0.0.1:8080"));
  }
}

TEST(AdminServer, SaysThatAPortIsTaken) {
  const auto first = Started();
  const auto second = AdminServer::Start({.address = first->address()});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("cannot listen on " + first->address()));
}

TEST(AdminServer, IsAliveButNotReadyBeforeThereIsAnElection) {
  const auto server = Started();
  EXPECT_EQ(Ask(server->address(), "GET", "/healthz").status, 200);
  EXPECT_EQ(Ask(server->address(), "GET", "/readyz").status, 503);
  EXPECT_EQ(Ask(server->address(), "GET", "/leader").status, 503);
}

TEST(AdminServer, LeaderAndFollowerAreBothHealthyAndReady) {
  const auto lock = std::make_shared<MemoryLock>("demo");
  Candidate a(lock, "a");
  ASSERT_TRUE(a.Leads());
  Candidate b(lock, "b");
  ASSERT_TRUE(b.SeesALeader());
  const struct {
    Candidate& candidate;
    std::string identity;
    std::string state;
  } cases[] = {{a, "a", "leader"}, {b, "b", "follower"}};
  for (const auto& test : cases) {
    const auto server = Started();
    server->Add(test.candidate.elector());
    for (const char* path : {"/healthz", "/readyz"}) {
      const Answer answer = Ask(server->address(), "GET", path);
      EXPECT_EQ(answer.status, 200) << path << test.identity;
      const json election = json::parse(answer.body)["elections"][0];
      EXPECT_EQ(election, json({{"name", "default/demo"}, {"identity", test.identity}, {"state", test.state}}));
    }
  }
}

TEST(AdminServer, TellsWhoLeadsOnEveryCandidate) {
  const auto lock = std::make_shared<MemoryLock>("demo");
  Candidate a(lock, "a");
  ASSERT_TRUE(a.Leads());
  Candidate b(lock, "b");
  ASSERT_TRUE(b.SeesALeader());
  const auto server_a = Started();
  const auto server_b = Started();
  server_a->Add(a.elector());
  server_b->Add(b.elector());

  const Answer of_a = Ask(server_a->address(), "GET", "/leader?only-leader");
  EXPECT_EQ(of_a.status, 200);
  const json leader = json::parse(of_a.body);
  EXPECT_EQ(leader["isLeader"], true);
  EXPECT_EQ(leader["fencingToken"], a.elector().CurrentTerm()->fencing_token());
  EXPECT_EQ(leader["leader"]["identity"], "a");
  EXPECT_EQ(leader["leader"]["leaseDurationMilliseconds"], 15000);
  EXPECT_EQ(leader["leader"]["metadata"]["zone"], "x");
  EXPECT_THAT(leader["leader"]["renewedAt"].get<std::string>(), testing::EndsWith("Z"));

  const Answer of_b = Ask(server_b->address(), "GET", "/leader");
  EXPECT_EQ(of_b.status, 200);
  const json follower = json::parse(of_b.body);
  EXPECT_EQ(follower["isLeader"], false);
  EXPECT_FALSE(follower.contains("fencingToken"));
  EXPECT_EQ(follower["leader"]["identity"], "a");
  EXPECT_EQ(Ask(server_b->address(), "GET", "/leader?only-leader").status, 503);
}

TEST(AdminServer, IsNotReadyButAliveWhileTheLockIsOutOfReach) {
  const auto fails = [](MonotonicTime, auto&&...) -> Result<Stored> { return {ErrorCode::kUnknown, "cable cut"}; };
  LeaderElector elector({.lock = std::make_shared<BlockingLock>(
                             BlockingLock::Functions{.get = fails, .create = fails, .update = fails}, "demo"),
                         .identity = "a",
                         .lease_duration = 200ms,
                         .renew_deadline = 100ms,
                         .retry_period = 20ms});
  const auto server = Started();
  server->Add(elector);
  elector.Start();
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  Answer ready = Ask(server->address(), "GET", "/readyz");
  while (ready.status == 200 && std::chrono::steady_clock::now() < give_up) {
    ready = Ask(server->address(), "GET", "/readyz");
  }
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("cable cut"));
  EXPECT_EQ(Ask(server->address(), "GET", "/healthz").status, 200);
  server->Remove(elector);
  elector.Stop();
}

TEST(AdminServer, WorkThatOutlivesItsTermIsAReasonToRestart) {
  std::promise<void> enough;
  std::promise<void> started;
  const auto broken = std::make_shared<std::atomic<bool>>(false);
  const auto store = std::make_shared<Stored>();
  const auto write = [broken, store](const Record& record) -> Result<Stored> {
    if (*broken) return {ErrorCode::kUnknown, "cable cut"};
    store->record = record;
    ++store->version.order;
    return *store;
  };
  LeaderElector elector(
      {.lock = std::make_shared<BlockingLock>(
           BlockingLock::Functions{
               .get = [](MonotonicTime) -> Result<Stored> {
                 return {ErrorCode::kNotFound, "none"};
               },
               .create = [write](MonotonicTime, const Record& record) { return write(record); },
               .update = [write](MonotonicTime, const Record& record, const Version&) { return write(record); }},
           "demo"),
       .callbacks = {.on_started_leading =
                         [&](const Term&) {
                           started.set_value();
                           enough.get_future().wait();
                         }},
       .lease_duration = 200ms,
       .renew_deadline = 100ms,
       .retry_period = 20ms,
       .drain_timeout = 0ms});
  const auto server = Started({.tolerance = 10ms});
  server->Add(elector);
  elector.Start();
  ASSERT_EQ(started.get_future().wait_for(30s), std::future_status::ready);
  *broken = true;
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  Answer health = Ask(server->address(), "GET", "/healthz");
  while (health.status == 200 && std::chrono::steady_clock::now() < give_up) {
    health = Ask(server->address(), "GET", "/healthz");
  }
  EXPECT_EQ(health.status, 503);
  EXPECT_THAT(health.body, HasSubstr("still runs"));
  enough.set_value();
  elector.Stop();
  while (health.status == 503 && std::chrono::steady_clock::now() < give_up) {
    health = Ask(server->address(), "GET", "/healthz");
  }
  EXPECT_EQ(health.status, 200);
  server->Remove(elector);
}

TEST(AdminServer, AnswersForSeveralElectionsOrTheOneAskedFor) {
  Candidate a(std::make_shared<MemoryLock>("one"), "a", "one");
  Candidate b(std::make_shared<MemoryLock>("two"), "b", "two");
  ASSERT_TRUE(a.Leads() && b.Leads());
  const auto server = Started();
  server->Add(a.elector());
  server->Add(b.elector());
  EXPECT_EQ(json::parse(Ask(server->address(), "GET", "/leader").body).size(), 2U);
  EXPECT_EQ(json::parse(Ask(server->address(), "GET", "/leader?name=two").body)["identity"], "b");
  EXPECT_EQ(Ask(server->address(), "GET", "/leader?name=three").status, 404);
  server->Remove(a.elector());
  EXPECT_EQ(json::parse(Ask(server->address(), "GET", "/leader").body)["identity"], "b");
}

TEST(StepDown, IsRefusedUnlessEnabled) {
  Candidate a(std::make_shared<MemoryLock>("demo"), "a");
  ASSERT_TRUE(a.Leads());
  const auto server = Started();
  server->Add(a.elector());
  EXPECT_EQ(Ask(server->address(), "POST", "/step-down").status, 403);
  EXPECT_TRUE(a.elector().IsLeader());
}

TEST(StepDown, EndsTheTermOfTheLeaderThatIsNamed) {
  Candidate a(std::make_shared<MemoryLock>("demo"), "a b&c=d");
  ASSERT_TRUE(a.Leads());
  const auto server = Started({.step_down = AdminServerOptions::StepDown::kThisHost});
  server->Add(a.elector());
  const Status other = AskToStepDown(server->address(), "b", "", 30s);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(a.elector().IsLeader());

  const Status status = AskToStepDown(server->address(), "a b&c=d", "default/demo", 30s);
  EXPECT_TRUE(status.ok()) << status.error().message;
  EXPECT_TRUE(a.HasStopped());
}

TEST(StepDown, IsNotTakenFromAFollowerAGetOrAPageInABrowser) {
  const auto lock = std::make_shared<MemoryLock>("demo");
  Candidate a(lock, "a");
  ASSERT_TRUE(a.Leads());
  Candidate b(lock, "b");
  ASSERT_TRUE(b.SeesALeader());
  const auto server_a = Started({.step_down = AdminServerOptions::StepDown::kThisHost});
  const auto server_b = Started({.step_down = AdminServerOptions::StepDown::kThisHost});
  server_a->Add(a.elector());
  server_b->Add(b.elector());
  EXPECT_EQ(Ask(server_b->address(), "POST", "/step-down").status, 409);
  const Answer get = Ask(server_a->address(), "GET", "/step-down");
  EXPECT_EQ(get.status, 405);
  EXPECT_THAT(get.head, HasSubstr("Allow: POST"));
  EXPECT_EQ(Ask(server_a->address(), "POST", "/step-down", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_TRUE(a.elector().IsLeader());
}

TEST(StepDown, TellsWhoCannotBeReached) {
  std::string address;
  {
    const auto server = Started();
    address = server->address();
  }
  const Status status = AskToStepDown(address, "a", "", 5s);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr(address));
}

}  // namespace
}  // namespace leaderelection

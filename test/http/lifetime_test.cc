// Clients that go while something is under way, and programs that go while clients are there.

#include <atomic>
#include <list>
#include <vector>

#include "http/client_fixture.h"

namespace leaderelection::http {
namespace {

template <class Implementation>
class HttpLifetime : public ClientTest<Implementation> {};
TYPED_TEST_SUITE(HttpLifetime, Implementations, NameOfImplementation);

TYPED_TEST(HttpLifetime, EveryDoneAndOnEndIsCalledBeforeTheClientIsGone) {
  AnswerBox<bool> asked;
  ScriptedServer server({}, [&](Conversation& client) {
    if (Requests(client).Next()) asked.Put(true);
    client.Send(kChunkedHead);
    client.Swallow();
  });
  auto client = this->ClientOf(server);
  std::atomic<int> ended{0};
  for (int i = 0; i < 10; ++i) {
    client->Send({.deadline = In(10min)}, [&](const Result<Response>& result) {
      EXPECT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, ErrorCode::kUnknown);
      ++ended;
    });
  }
  const auto stream = client->Stream({.deadline = In(10min)}, 10min, {.on_end = [&](const Status& status) {
                                       EXPECT_FALSE(status.ok());
                                       ++ended;
                                     }});
  asked.Take();
  client.reset();
  EXPECT_EQ(ended, 11);
}

TYPED_TEST(HttpLifetime, AClientMayGoAtOnce) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, ""); }));
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> ended{0};
    auto client = this->ClientOf(server);
    for (int j = 0; j < i % 4; ++j) client->Send({.deadline = In(1min)}, [&](const Result<Response>&) { ++ended; });
    client.reset();
    EXPECT_EQ(ended, i % 4);
  }
}

TYPED_TEST(HttpLifetime, AStreamMayOutliveItsClient) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(kChunkedHead);
    client.Swallow();
  });
  auto client = this->ClientOf(server);
  AnswerBox<bool> ended;
  auto stream =
      client->Stream({.deadline = In(1min)}, 10min, {.on_end = [&](const Status& status) { ended.Put(status.ok()); }});
  client.reset();
  EXPECT_FALSE(ended.Take());
  stream.reset();
}

TYPED_TEST(HttpLifetime, AClientMayGoInACallbackOfAnother) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests requests(client);
    while (const auto asked = requests.Next()) {
      if (asked->target == "/never") return client.Swallow();
      client.Send(Reply(200, ""));
    }
  });
  auto clients = TypeParam::MakeTwo({"127.0.0.1", server.port()});
  auto doomed = std::move(clients.second);
  AnswerBox<bool> gone;
  std::atomic<int> ended{0};
  doomed->Send({.target = "/never", .deadline = In(10min)}, [&](const Result<Response>&) { ++ended; });
  clients.first->Send({.deadline = In(1min)}, [&](const Result<Response>&) {
    doomed->Send({.target = "/never", .deadline = In(10min)}, [&](const Result<Response>&) { ++ended; });
    doomed.reset();
    gone.Put(ended == 2);
  });
  EXPECT_TRUE(gone.Take());
}

TYPED_TEST(HttpLifetime, ConnectionsGoWithTheirClient) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, ""); }));
  auto client = this->ClientOf(server);
  this->Expect(*client);
  client.reset();
  server.AwaitEnd(server.connections());
}

class MadeClient : public ClientTest<Beast> {};

TEST_F(MadeClient, AnswersAndLeavesNothingRunning) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, "hello"); }));
  for (int i = 0; i < 3; ++i) {
    const auto one = MakeClient({"127.0.0.1", server.port()});
    const auto other = MakeClient({"127.0.0.1", server.port()});
    EXPECT_EQ(Expect(*one).body, "hello");
    EXPECT_EQ(Expect(*other).body, "hello");
  }
  server.AwaitEnd(server.connections());
}

// What a program may do with a client when it ends; each runs in a process of its own.
template <class Implementation>
class HttpExit : public ClientTest<Implementation> {};
TYPED_TEST_SUITE(HttpExit, Implementations, NameOfImplementation);

TYPED_TEST(HttpExit, AStaticClientSurvivesStaticDestruction) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static std::unique_ptr<Client> client;  // destroyed after whatever the client's first use makes static
        static ScriptedServer server({}, [](Conversation& conversation) { conversation.Swallow(); });
        client = this->ClientOf(server);
        client->Send({.deadline = In(10min)}, [](const Result<Response>&) {});
        this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(300ms)});
        std::exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

TYPED_TEST(HttpExit, ALeakedClientWithRequestsUnderWayHoldsNothingUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto* server = new ScriptedServer({}, [](Conversation& conversation) { conversation.Swallow(); });
        auto* client = this->ClientOf(*server).release();
        for (int i = 0; i < 5; ++i) client->Send({.deadline = In(10min)}, [](const Result<Response>&) {});
        static auto stream = client->Stream({.deadline = In(10min)}, 10min, {}).release();
        this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(300ms)});
        std::exit(stream ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace leaderelection::http

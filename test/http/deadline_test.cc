// A request ends at its deadline, or when it is told to, whatever the other side does.

#include "http/client_fixture.h"

namespace leaderelection::http {
namespace {

template <class Implementation>
class HttpDeadline : public ClientTest<Implementation> {};
TYPED_TEST_SUITE(HttpDeadline, Implementations, NameOfImplementation);

constexpr auto kSoon = 300ms;

TYPED_TEST(HttpDeadline, ABlackHoleCostsADeadlineAndNoMore) {
  ScriptedServer server({}, [](Conversation& client) { client.Swallow(); });
  const auto client = this->ClientOf(server);
  const MonotonicTime start = BootClock::now();
  const Error error = this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = start + kSoon});
  EXPECT_GE(BootClock::now(), start + kSoon);
  EXPECT_LT(BootClock::now(), start + 30s);
  EXPECT_THAT(error.message, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
}

TYPED_TEST(HttpDeadline, ItHoldsWhileConnecting) {
  const testing::FullBacklog nobody;
  const auto client = TypeParam::Make({"127.0.0.1", nobody.port()});
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(kSoon)});
}

TYPED_TEST(HttpDeadline, ItHoldsInAHandshake) {
  ScriptedServer server({}, [](Conversation& client) { client.Swallow(); });
  const auto client = this->ClientOf(server);
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(kSoon), .tls = net::TlsContext::Make({}).value()});
}

TYPED_TEST(HttpDeadline, ItHoldsWhileTheServerReadsNothing) {
  ScriptedServer server({}, [](Conversation& client) { client.Hold(); });
  const auto client = this->ClientOf(server);
  this->ExpectFailure(*client, ErrorCode::kTimeout,
                      {.method = "PUT", .body = std::string(30'000'000, 'x'), .deadline = In(kSoon)});
}

TYPED_TEST(HttpDeadline, AHeadThatDripsIsCutOff) {
  ScriptedServer server({}, [](Conversation& client) {
    Requests(client).Next();
    client.Send("HTTP/1.1 200 OK\r\nX-Long: ");
    while (client.Pause(20ms) && client.Send("x")) continue;
  });
  const auto client = this->ClientOf(server);
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(kSoon)});
}

TYPED_TEST(HttpDeadline, ABodyThatDripsIsCutOff) {
  ScriptedServer server({}, [](Conversation& client) {
    const auto asked = Requests(client).Next();
    const bool is_chunked = asked && asked->target == "/chunked";
    client.Send(is_chunked ? kChunkedHead : "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (client.Pause(20ms) && client.Send(is_chunked ? Chunk("x") : "x")) continue;
  });
  const auto client = this->ClientOf(server);
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(kSoon)});
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.target = "/chunked", .deadline = In(kSoon)});
}

TYPED_TEST(HttpDeadline, OneInThePastSendsNothing) {
  Notes notes;
  ScriptedServer server({}, Answering([&](const Asked& asked) {
                          notes.Add(asked);
                          return Reply(200, "");
                        }));
  const auto client = this->ClientOf(server);
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(-1ms)});
  this->Expect(*client);  // and with a connection to send it on
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = In(-1ms)});
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.deadline = MonotonicTime()});
  EXPECT_EQ(notes.all().size(), 1U);
}

TYPED_TEST(HttpDeadline, AConnectionThatMissedOneIsNotUsedAgain) {
  // The late reply to the first request must not be taken for the reply to the second.
  AnswerBox<bool> go_on;
  ScriptedServer server({}, [&](Conversation& client) {
    Requests requests(client);
    while (const auto asked = requests.Next()) {
      if (asked->target == "/late") go_on.Take();
      client.Send(Reply(200, asked->target));
    }
  });
  const auto client = this->ClientOf(server);
  this->Expect(*client, {.target = "/first"});
  this->ExpectFailure(*client, ErrorCode::kTimeout, {.target = "/late", .deadline = In(kSoon)});
  go_on.Put(true);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(this->Expect(*client, {.target = "/next"}).body, "/next");
}

TYPED_TEST(HttpDeadline, ARequestStoppedBeforehandIsNotSent) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, ""); }));
  const auto client = this->ClientOf(server);
  std::stop_source source;
  source.request_stop();
  this->ExpectFailure(*client, ErrorCode::kUnknown, {.stop = source.get_token()});
  EXPECT_EQ(server.connections(), 0);
}

TYPED_TEST(HttpDeadline, ARequestUnderWayIsStopped) {
  AnswerBox<bool> asked;
  ScriptedServer server({}, [&](Conversation& client) {
    if (Requests(client).Next()) asked.Put(true);
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  std::stop_source source;
  AnswerBox<Result<Response>> box;
  client->Send({.deadline = In(10min), .stop = source.get_token()},
               [&](Result<Response> result) { box.Put(std::move(result)); });
  asked.Take();
  source.request_stop();
  const Result<Response> result = box.Take();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnknown);
  EXPECT_THAT(result.error().message, HasSubstr("stopped"));
}

TYPED_TEST(HttpDeadline, StoppingAfterTheEndDoesNothing) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, ""); }));
  const auto client = this->ClientOf(server);
  std::stop_source source;
  AnswerBox<Result<Response>> box;
  client->Send({.deadline = In(1min), .stop = source.get_token()},
               [&](Result<Response> result) { box.Put(std::move(result)); });
  EXPECT_TRUE(box.Take().ok());
  source.request_stop();
  this->Expect(*client);
  EXPECT_EQ(box.count(), 1);
}

TYPED_TEST(HttpDeadline, ARequestMayStopItselfInDone) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, ""); }));
  const auto client = this->ClientOf(server);
  std::stop_source source;
  AnswerBox<Result<Response>> box;
  client->Send({.deadline = In(1min), .stop = source.get_token()}, [&](Result<Response> result) {
    source.request_stop();
    box.Put(std::move(result));
  });
  EXPECT_TRUE(box.Take().ok());
}

}  // namespace
}  // namespace leaderelection::http

// Servers that break off, overdo or talk nonsense: each is an error that says so, and the next request is served.

#include "http/client_fixture.h"

namespace leaderelection::http {
namespace {

template <class Implementation>
class HttpMisbehaviour : public ClientTest<Implementation> {
 protected:
  // Does `misbehave` to the request for /bad, and serves all others.
  static ScriptedServer::Script Misbehaving(std::function<void(Conversation&)> misbehave) {
    return [misbehave = std::move(misbehave)](Conversation& client) {
      Requests requests(client);
      while (const auto asked = requests.Next()) {
        if (asked->target == "/bad") return misbehave(client);
        client.Send(Reply(200, "good"));
      }
    };
  }

  // As the first request of a connection, and as a later one.
  static std::string ErrorOf(std::function<void(Conversation&)> misbehave, Request request = {}) {
    ScriptedServer server({}, Misbehaving(std::move(misbehave)));
    const auto client = ClientTest<Implementation>::ClientOf(server);
    request.target = "/bad";
    const Error first = ClientTest<Implementation>::ExpectFailure(*client, ErrorCode::kUnknown, request);
    EXPECT_EQ(ClientTest<Implementation>::Expect(*client).body, "good");
    ClientTest<Implementation>::ExpectFailure(*client, ErrorCode::kUnknown, request);
    EXPECT_EQ(ClientTest<Implementation>::Expect(*client).body, "good");
    EXPECT_THAT(first.message, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
    return first.message;
  }
};
TYPED_TEST_SUITE(HttpMisbehaviour, Implementations, NameOfImplementation);

TYPED_TEST(HttpMisbehaviour, AServerThatClosesUnanswered) {
  EXPECT_THAT(this->ErrorOf([](Conversation&) {}), HasSubstr("connection closed by the server"));
}

TYPED_TEST(HttpMisbehaviour, AResetBeforeTheReply) {
  EXPECT_THAT(this->ErrorOf([](Conversation& client) { client.Reset(); }), HasSubstr("reset by the server"));
}

TYPED_TEST(HttpMisbehaviour, AResetAmidTheReply) {
  this->ErrorOf([](Conversation& client) {
    client.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello");
    client.Reset();
  });
}

TYPED_TEST(HttpMisbehaviour, AReplyThatEndsEarly) {
  EXPECT_THAT(
      this->ErrorOf([](Conversation& client) { client.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello"); }),
      HasSubstr("amid its reply"));
  EXPECT_THAT(this->ErrorOf([](Conversation& client) { client.Send(std::string(kChunkedHead) + Chunk("hello")); }),
              HasSubstr("amid its reply"));
  EXPECT_THAT(this->ErrorOf([](Conversation& client) { client.Send(std::string(kChunkedHead) + "5\r\nhel"); }),
              HasSubstr("amid its reply"));
  this->ErrorOf([](Conversation& client) { client.Send("HTTP/1.1 200 OK\r\nContent-Le"); });
}

TYPED_TEST(HttpMisbehaviour, Nonsense) {
  for (const std::string nonsense :
       {"nonsense\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\r\n\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n", "\x16\x03\x01\x02"}) {
    SCOPED_TRACE(nonsense);
    this->ErrorOf([&](Conversation& client) { client.Send(nonsense); });
  }
}

TYPED_TEST(HttpMisbehaviour, AChunkOfNegativeSize) {
  this->ErrorOf([](Conversation& client) { client.Send(std::string(kChunkedHead) + "-5\r\nhello\r\n0\r\n\r\n"); });
}

TYPED_TEST(HttpMisbehaviour, ATooLargeReplyThatSaysSo) {
  EXPECT_THAT(
      this->ErrorOf(
          [](Conversation& client) { client.Send(Reply(200, std::string(1001, 'x'), "Connection: close\r\n")); },
          {.largest_reply = 1000}),
      HasSubstr("larger than 1000 bytes"));
  // It is not even read.
  EXPECT_THAT(this->ErrorOf(
                  [](Conversation& client) {
                    client.Send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
                    client.Swallow();
                  },
                  {.largest_reply = 1000}),
              HasSubstr("larger than 1000 bytes"));
}

TYPED_TEST(HttpMisbehaviour, ATooLargeReplyThatDoesNotSaySo) {
  EXPECT_THAT(this->ErrorOf(
                  [](Conversation& client) {
                    client.Send(kChunkedHead);
                    while (client.Send(Chunk(std::string(600, 'x')))) continue;
                  },
                  {.largest_reply = 1000}),
              HasSubstr("larger than 1000 bytes"));
  EXPECT_THAT(this->ErrorOf(
                  [](Conversation& client) {
                    client.Send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
                    while (client.Send(std::string(600, 'x'))) continue;
                  },
                  {.largest_reply = 1000}),
              HasSubstr("larger than 1000 bytes"));
}

TYPED_TEST(HttpMisbehaviour, AReplyOfExactlyTheLargestSizeIsTaken) {
  ScriptedServer server({}, Answering([](const Asked& asked) {
                          const std::string body(1000, 'x');
                          return asked.target == "/chunked"
                                     ? std::string(kChunkedHead) + Chunk(body) + std::string(kLastChunk)
                                     : Reply(200, body);
                        }));
  const auto client = this->ClientOf(server);
  EXPECT_EQ(this->Expect(*client, {.largest_reply = 1000}).body.size(), 1000U);
  EXPECT_EQ(this->Expect(*client, {.target = "/chunked", .largest_reply = 1000}).body.size(), 1000U);
}

TYPED_TEST(HttpMisbehaviour, NobodyThere) {
  const auto port = testing::RefusingPort();
  const auto client = TypeParam::Make({"127.0.0.1", port});
  EXPECT_THAT(this->ExpectFailure(*client, ErrorCode::kUnknown).message,
              HasSubstr("cannot connect to 127.0.0.1:" + std::to_string(port) + ": connection refused"));
}

TYPED_TEST(HttpMisbehaviour, AHostThatCannotBeFound) {
  const auto client = TypeParam::Make({"no-such-host.invalid", 1});
  const Result<Response> result = this->Ask(*client, {.deadline = In(20s)});
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(MayHaveLanded(result.error().code));  // kTimeout where the machine's name server does not answer
  EXPECT_THAT(result.error().message, HasSubstr("no-such-host.invalid"));
}

TYPED_TEST(HttpMisbehaviour, ATokenIsInNoErrorText) {
  std::vector<std::string> messages;
  const auto ask = [&](auto misbehave) {
    messages.push_back(this->ErrorOf(misbehave, {.bearer_token = net::Secret("canary")}));
  };
  ask([](Conversation&) {});
  ask([](Conversation& client) { client.Reset(); });
  ask([](Conversation& client) { client.Send("Authorization: Bearer canary\r\n\r\n"); });
  ask([](Conversation& client) { client.Send("HTTP/1.1 canary canary\r\n\r\n"); });
  ask([](Conversation& client) { client.Send(std::string(kChunkedHead) + "canary\r\n"); });
  for (const std::string& message : messages) EXPECT_THAT(message, Not(HasSubstr("canary")));
}

}  // namespace
}  // namespace leaderelection::http

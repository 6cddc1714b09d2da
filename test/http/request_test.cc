// Requests to servers that behave.

#include <atomic>
#include <list>
#include <set>
#include <thread>

#include "http/client_fixture.h"

namespace leaderelection::http {
namespace {

template <class Implementation>
class HttpRequest : public ClientTest<Implementation> {};
TYPED_TEST_SUITE(HttpRequest, Implementations, NameOfImplementation);

TYPED_TEST(HttpRequest, ASimpleRequestGetsItsReply) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, "hello", "X-Answer: 42\r\n"); }));
  const auto client = this->ClientOf(server);
  const Response response = this->Expect(*client);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "hello");
  ASSERT_NE(response.Find("x-answer"), nullptr);
  EXPECT_EQ(*response.Find("x-answer"), "42");
}

TYPED_TEST(HttpRequest, EverythingTheCallerSaysArrives) {
  Notes notes;
  ScriptedServer server({}, Answering([&](const Asked& asked) {
                          notes.Add(asked);
                          return Reply(201, "");
                        }));
  const auto client = this->ClientOf(server);
  const std::string body(200'000, 'b');
  const Response response = this->Expect(*client, {.method = "PUT",
                                                   .target = "/a/b%20c%2Fd?x=1&y=%7B%7D&z",
                                                   .headers = {{"Content-Type", "application/json"}, {"X-One", "1, 2"}},
                                                   .bearer_token = net::Secret("token"),
                                                   .body = body});
  EXPECT_EQ(response.status, 201);
  ASSERT_EQ(notes.all().size(), 1U);
  const Asked asked = notes.all().front();
  EXPECT_EQ(asked.method, "PUT");
  EXPECT_EQ(asked.target, "/a/b%20c%2Fd?x=1&y=%7B%7D&z");
  EXPECT_EQ(asked.Header("Content-Type"), "application/json");
  EXPECT_EQ(asked.Header("X-One"), "1, 2");
  EXPECT_EQ(asked.Header("Authorization"), "Bearer token");
  EXPECT_EQ(asked.Header("Host"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(asked.body, body);
}

TYPED_TEST(HttpRequest, ATargetArrivesAsItIsOrNotAtAll) {
  ScriptedServer server({}, Answering([](const Asked& asked) { return Reply(200, asked.target); }));
  const auto client = this->ClientOf(server);
  for (const std::string target :
       {"/", "/a/", "/a:b@c+d*e", "/v1/kv/a%2Fb%20c?cas=0&acquire=x-y_z.~", "/a?b=/c/d?e", "/a?x='y'&z=~!$(),;",
        "/apis/coordination.k8s.io/v1/namespaces/n/leases?fieldSelector=metadata.name%3Da&watch=true"})
    EXPECT_EQ(this->Expect(*client, {.target = target}).body, target);
  for (const std::string target :
       {"//a//b", "/a/../b", "/./a", "/a//", "/?", "/a?", "/a#b", "/a|b", "/\"a\"<b>", "/%zz"}) {
    const Result<Response> result = this->Ask(*client, {.target = target});
    if (result.ok()) {
      EXPECT_EQ(result->body, target);
    } else {
      EXPECT_EQ(result.error().code, ErrorCode::kInvalid) << target;
    }
  }
}

TYPED_TEST(HttpRequest, WithoutATokenNoneIsSentAndNoCompressionIsAskedFor) {
  Notes notes;
  ScriptedServer server({}, Answering([&](const Asked& asked) {
                          notes.Add(asked);
                          return Reply(200, "");
                        }));
  const auto client = this->ClientOf(server);
  this->Expect(*client);
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all().front().Header("Authorization"), "");
  EXPECT_EQ(notes.all().front().Header("Accept-Encoding"), "");
}

TYPED_TEST(HttpRequest, EveryMethodOfTheBackendsWorks) {
  ScriptedServer server({}, Answering([](const Asked& asked) {
                          return asked.method == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"
                                                        : Reply(200, asked.method + asked.body);
                        }));
  const auto client = this->ClientOf(server);
  for (const std::string method : {"GET", "PUT", "POST", "PATCH", "DELETE"}) {
    EXPECT_EQ(this->Expect(*client, {.method = method}).body, method);
    EXPECT_EQ(this->Expect(*client, {.method = method, .body = "!"}).body, method + "!");
  }
  EXPECT_EQ(this->Expect(*client, {.method = "HEAD"}).body, "");
}

TYPED_TEST(HttpRequest, AChunkedReplyIsPutTogether) {
  ScriptedServer server({}, Answering([](const Asked&) {
                          return std::string(kChunkedHead) + Chunk("one ") + Chunk(std::string(100'000, 'x')) +
                                 Chunk(" two") + std::string(kLastChunk);
                        }));
  const auto client = this->ClientOf(server);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(this->Expect(*client).body, "one " + std::string(100'000, 'x') + " two");
}

TYPED_TEST(HttpRequest, AReplyMayEndWithTheConnection) {
  ScriptedServer server({}, [](Conversation& client) {
    Requests(client).Next();
    client.Send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end");
  });
  const auto client = this->ClientOf(server);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(this->Expect(*client).body, "to the end");
}

TYPED_TEST(HttpRequest, RepliesWithoutABodyDoNotKeepAnyoneWaiting) {
  ScriptedServer server(
      {}, Answering([](const Asked& asked) { return "HTTP/1.1 " + asked.target.substr(1) + " Whatever\r\n\r\n"; }));
  const auto client = this->ClientOf(server);
  EXPECT_EQ(this->Expect(*client, {.target = "/204"}).status, 204);
  EXPECT_EQ(this->Expect(*client, {.target = "/304"}).status, 304);
}

TYPED_TEST(HttpRequest, EveryStatusIsAResponse) {
  ScriptedServer server({}, Answering([](const Asked& asked) {
                          return Reply(std::stoi(asked.target.substr(1)), "<html>" + asked.target,
                                       "Content-Type: text/html\r\n");
                        }));
  const auto client = this->ClientOf(server);
  for (const int status : {200, 201, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 599}) {
    const Response response = this->Expect(*client, {.target = "/" + std::to_string(status)});
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.body, "<html>/" + std::to_string(status));
  }
}

TYPED_TEST(HttpRequest, NoRedirectIsFollowed) {
  ScriptedServer elsewhere({}, Answering([](const Asked&) { return Reply(200, ""); }));
  const std::string location = "Location: http://127.0.0.1:" + std::to_string(elsewhere.port()) + "/\r\n";
  ScriptedServer server(
      {}, Answering([&](const Asked& asked) { return Reply(std::stoi(asked.target.substr(1)), "moved", location); }));
  const auto client = this->ClientOf(server);
  for (const int status : {301, 302, 303, 307, 308}) {
    const Response response =
        this->Expect(*client, {.target = "/" + std::to_string(status), .bearer_token = net::Secret("token")});
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.body, "moved");
  }
  EXPECT_EQ(elsewhere.connections(), 0);
}

TYPED_TEST(HttpRequest, OneConnectionServesRequestAfterRequest) {
  ScriptedServer server({}, Answering([](const Asked& asked) { return Reply(200, asked.target); }));
  const auto client = this->ClientOf(server);
  for (int i = 0; i < 30; ++i) {
    const std::string target = "/" + std::to_string(i);
    EXPECT_EQ(this->Expect(*client, {.target = target}).body, target);
  }
  EXPECT_LE(server.connections(), TypeParam::kMostConnectionsInTurn);
}

TYPED_TEST(HttpRequest, ManyAtATimeGetEachItsOwnReply) {
  ScriptedServer server({}, Answering([](const Asked& asked) { return Reply(200, asked.target); }));
  const auto client = this->ClientOf(server);
  std::list<AnswerBox<Result<Response>>> boxes;
  for (int i = 0; i < 100; ++i) {
    auto& box = boxes.emplace_back();
    client->Send({.target = "/" + std::to_string(i), .deadline = In(1min)},
                 [&box](Result<Response> result) { box.Put(std::move(result)); });
  }
  int i = 0;
  for (auto& box : boxes) {
    const Result<Response> result = box.Take();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->body, "/" + std::to_string(i++));
  }
}

TYPED_TEST(HttpRequest, ASlowReplyHoldsUpNoOther) {
  ScriptedServer server({}, [](Conversation& client) {
    Requests requests(client);
    while (const auto asked = requests.Next()) {
      if (asked->target == "/slow") return client.Swallow();
      client.Send(Reply(200, "quick"));
    }
  });
  AnswerBox<Result<Response>> slow;
  const auto client = this->ClientOf(server);
  client->Send({.target = "/slow", .deadline = In(1min)}, [&](Result<Response> r) { slow.Put(std::move(r)); });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(this->Expect(*client).body, "quick");
  EXPECT_EQ(slow.count(), 0);
}

TYPED_TEST(HttpRequest, ItIsAskedFromManyThreads) {
  ScriptedServer server({}, Answering([](const Asked& asked) { return Reply(200, asked.target); }));
  const auto client = this->ClientOf(server);
  std::atomic<int> right{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 10; ++j) {
        const std::string target = "/" + std::to_string(i) + "/" + std::to_string(j);
        right += this->Expect(*client, {.target = target}).body == target;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 40);
}

TYPED_TEST(HttpRequest, AConnectionClosedWhileIdleIsNotHeldAgainstTheRequest) {
  // Every reply is the last of its connection, though it does not say so.
  ScriptedServer server({}, [](Conversation& client) {
    if (Requests(client).Next()) client.Send(Reply(200, "once"));
  });
  const auto client = this->ClientOf(server);
  EXPECT_EQ(this->Expect(*client).body, "once");
  server.AwaitEnd(1);
  EXPECT_EQ(this->Expect(*client, {.method = "PUT", .body = "x"}).body, "once");
}

TYPED_TEST(HttpRequest, NothingIsSentTwice) {
  // The first request of a connection is served; the second is taken, and then the connection breaks.
  Notes notes;
  ScriptedServer server({}, [&](Conversation& client) {
    Requests requests(client);
    for (const bool is_served : {true, false}) {
      const auto asked = requests.Next();
      if (!asked) return;
      notes.Add(*asked);
      if (is_served) client.Send(Reply(200, ""));
    }
  });
  const auto client = this->ClientOf(server);
  int unknown = 0;
  for (int i = 0; i < 30; ++i) {
    const Result<Response> result = this->Ask(
        *client, {.method = i % 3 == 0 ? "GET" : "PUT", .target = "/" + std::to_string(i), .body = i % 2 ? "x" : ""});
    if (result.ok()) continue;
    EXPECT_EQ(result.error().code, ErrorCode::kUnknown);
    ++unknown;
  }
  EXPECT_GT(unknown, 0);
  std::set<std::string> targets;
  for (const Asked& asked : notes.all()) EXPECT_TRUE(targets.insert(asked.target).second) << asked.target;
}

TYPED_TEST(HttpRequest, WhatCannotBeWrittenIsRefusedUnsent) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, ""); }));
  const auto client = this->ClientOf(server);
  for (const Request& request : {Request{.target = "/ HTTP/1.1\r\nX: y"}, Request{.headers = {{"X", "a\r\nY: b"}}},
                                 Request{.method = "GET\r\n"}, Request{.bearer_token = net::Secret("canary\n")}}) {
    const Error error = this->ExpectFailure(*client, ErrorCode::kInvalid, request);
    EXPECT_THAT(error.message, Not(HasSubstr("canary")));
  }
  EXPECT_EQ(server.connections(), 0);
}

TYPED_TEST(HttpRequest, DoneIsNeverCalledInsideSend) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, ""); }));
  const auto client = this->ClientOf(server);
  std::stop_source stopped;
  stopped.request_stop();
  for (const Request& request : {Request{.deadline = In(1min)}, Request{.target = "\r\n"}, Request{.deadline = In(-1s)},
                                 Request{.deadline = In(1min), .stop = stopped.get_token()}}) {
    AnswerBox<std::thread::id> caller;
    client->Send(request, [&](const Result<Response>&) { caller.Put(std::this_thread::get_id()); });
    EXPECT_NE(caller.Take(), std::this_thread::get_id());
  }
}

TYPED_TEST(HttpRequest, ADoneMaySendAgain) {
  ScriptedServer server({}, Answering([](const Asked& asked) { return Reply(200, asked.target); }));
  const auto client = this->ClientOf(server);
  AnswerBox<Result<Response>> box;
  bool inside = false;
  client->Send({.target = "/1", .deadline = In(1min)}, [&](const Result<Response>&) {
    inside = true;
    client->Send({.target = "/2", .deadline = In(1min)}, [&](Result<Response> second) {
      EXPECT_FALSE(inside);
      box.Put(std::move(second));
    });
    inside = false;
  });
  EXPECT_EQ(box.Take().value().body, "/2");
}

TYPED_TEST(HttpRequest, AnAddressOfVersionSixIsReachedToo) {
  ScriptedServer server({.address = "::1"},
                        Answering([](const Asked& asked) { return Reply(200, asked.Header("Host")); }));
  const auto client = this->ClientOf(server, "::1");
  EXPECT_EQ(this->Expect(*client).body, "[::1]:" + std::to_string(server.port()));
}

TYPED_TEST(HttpRequest, ANameIsLookedUp) {
  ScriptedServer server({}, Answering([](const Asked& asked) { return Reply(200, asked.Header("Host")); }));
  const auto client = this->ClientOf(server, "localhost");
  EXPECT_EQ(this->Expect(*client).body, "localhost:" + std::to_string(server.port()));
}

}  // namespace
}  // namespace leaderelection::http

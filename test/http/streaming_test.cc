// Long replies that come piece by piece.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <type_traits>

#include "http/client_fixture.h"

namespace leaderelection::http {
namespace {

// What a stream brought, for a test to wait for.
class Journal {
 public:
  StreamEvents events() {
    return {.on_response = [this](const Response& response) { Note([&] { responses_.push_back(response); }); },
            .on_piece = [this](std::string_view piece) { Note([&] { text_ += piece; }); },
            .on_end = [this](const Status& status) { Note([&] { ends_.push_back(status); }); }};
  }

  Response AwaitResponse() {
    Await([this] { return !responses_.empty(); });
    return Read([this] { return responses_.front(); });
  }
  void AwaitText(const std::string& text) {
    Await([&] { return text_.starts_with(text); });
  }
  Status AwaitEnd() {
    Await([this] { return !ends_.empty(); });
    return Read([this] { return ends_.front(); });
  }
  std::size_t responses() {
    return Read([this] { return responses_.size(); });
  }
  std::size_t ends() {
    return Read([this] { return ends_.size(); });
  }
  std::string text() {
    return Read([this] { return text_; });
  }

 private:
  template <class Change>
  void Note(Change change) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(ends_.empty()) << "the end is not last";
    change();
    changed_.notify_all();
  }
  template <class Condition>
  void Await(Condition condition) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 1min, condition)) throw std::runtime_error("nothing came within a minute");
  }
  template <class Question>
  std::invoke_result_t<Question> Read(Question question) {
    const std::lock_guard lock(mutex_);
    return question();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Response> responses_;
  std::string text_;
  std::vector<Status> ends_;
};

template <class Implementation>
class HttpStream : public ClientTest<Implementation> {};
TYPED_TEST_SUITE(HttpStream, Implementations, NameOfImplementation);

TYPED_TEST(HttpStream, PiecesComeWhenTheyAreSentAndNotLater) {
  AnswerBox<std::string> next;
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(kChunkedHead);
    for (auto piece = next.Take(); !piece.empty(); piece = next.Take()) client.Send(piece);
    client.Send(kLastChunk);
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream = client->Stream({.target = "/watch", .deadline = In(1min)}, 1min, journal.events());
  EXPECT_EQ(journal.AwaitResponse().status, 200);
  EXPECT_EQ(journal.text(), "");
  next.Put(Chunk("one\n"));
  journal.AwaitText("one\n");
  next.Put(Chunk("half a "));
  journal.AwaitText("one\nhalf a ");
  next.Put(Chunk("line\n"));
  journal.AwaitText("one\nhalf a line\n");
  EXPECT_EQ(journal.ends(), 0U);
  next.Put("");
  EXPECT_TRUE(journal.AwaitEnd().ok());
  EXPECT_EQ(journal.responses(), 1U);
}

TYPED_TEST(HttpStream, HoweverItIsCutIntoPacketsNoByteIsLost) {
  const std::string reply = std::string(kChunkedHead) + Chunk("one\n") + Chunk(std::string(40, 'x')) + Chunk("two\n") +
                            std::string(kLastChunk);
  for (const std::size_t size : {1UL, 2UL, 7UL, 30UL}) {
    ScriptedServer server({}, [&](Conversation& client) {
      Requests(client).Next();
      for (std::size_t at = 0; at < reply.size() && client.Pause(1ms); at += size) client.Send(reply.substr(at, size));
      client.Swallow();
    });
    const auto client = this->ClientOf(server);
    Journal journal;
    const auto stream = client->Stream({.deadline = In(1min)}, 1min, journal.events());
    EXPECT_TRUE(journal.AwaitEnd().ok());
    EXPECT_EQ(journal.text(), "one\n" + std::string(40, 'x') + "two\n");
  }
}

TYPED_TEST(HttpStream, ItComesUnderTls) {
  const Authority authority;
  ScriptedServer server({.tls = {{authority.Issue({.addresses = {"127.0.0.1"}})}}}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(kChunkedHead);
    for (int i = 0; i < 50; ++i) client.Send(Chunk(std::string(5000, static_cast<char>('a' + i % 26))));
    client.Send(kLastChunk);
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream =
      client->Stream({.deadline = In(1min), .tls = net::TlsContext::Make({.ca_pem = authority.pem()}).value()}, 1min,
                     journal.events());
  const Status end = journal.AwaitEnd();
  EXPECT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(journal.text().size(), 250'000U);
}

TYPED_TEST(HttpStream, MuchMoreThanTheLargestReplyMayCome) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(kChunkedHead);
    for (int i = 0; i < 100; ++i) client.Send(Chunk(std::string(500, 'x')));
    client.Send(kLastChunk);
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream = client->Stream({.deadline = In(1min), .largest_reply = 1000}, 1min, journal.events());
  EXPECT_TRUE(journal.AwaitEnd().ok());
  EXPECT_EQ(journal.text().size(), 50'000U);
}

TYPED_TEST(HttpStream, TheDeadlineIsTheHeadsAndNotTheStreams) {
  AnswerBox<bool> go_on;
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(kChunkedHead);
    go_on.Take();
    client.Send(Chunk("late"));
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  const MonotonicTime deadline = In(2s);
  const auto stream = client->Stream({.deadline = deadline}, 1min, journal.events());
  journal.AwaitResponse();
  ScriptedServer black_hole({}, [](Conversation& other) { other.Swallow(); });
  const auto other = this->ClientOf(black_hole);
  this->ExpectFailure(*other, ErrorCode::kTimeout, {.deadline = deadline + 200ms});  // until then
  go_on.Put(true);
  journal.AwaitText("late");
  EXPECT_EQ(journal.ends(), 0U);
}

TYPED_TEST(HttpStream, WithoutAHeadItEndsAtTheDeadline) {
  ScriptedServer server({}, [](Conversation& client) { client.Swallow(); });
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream = client->Stream({.deadline = In(300ms)}, 1min, journal.events());
  const Status end = journal.AwaitEnd();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(journal.responses(), 0U);
}

TYPED_TEST(HttpStream, APeerThatFallsSilentIsGivenUp) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(std::string(kChunkedHead) + Chunk("one"));
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream = client->Stream({.deadline = In(1min)}, 300ms, journal.events());
  const Status end = journal.AwaitEnd();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(end.error().message, "nothing came from 127.0.0.1:" + std::to_string(server.port()) + " for 300 ms");
  EXPECT_EQ(journal.text(), "one");
}

TYPED_TEST(HttpStream, EveryPieceIsASignOfLife) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(kChunkedHead);
    for (int i = 0; i < 15 && client.Pause(200ms); ++i) client.Send(Chunk("x"));
    client.Send(kLastChunk);
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream = client->Stream({.deadline = In(1min)}, 2500ms, journal.events());
  const Status end = journal.AwaitEnd();
  EXPECT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(journal.text(), std::string(15, 'x'));
}

TYPED_TEST(HttpStream, AnEndlessSilenceIsNoOverflow) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, "x"); }));
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream = client->Stream({}, std::chrono::milliseconds::max(), journal.events());
  EXPECT_TRUE(journal.AwaitEnd().ok());
  EXPECT_EQ(journal.text(), "x");
}

TYPED_TEST(HttpStream, ARefusalComesWithItsWholeBody) {
  ScriptedServer server({}, Answering([](const Asked& asked) {
                          return asked.target == "/chunked"
                                     ? "HTTP/1.1 410 Gone\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("expi") +
                                           Chunk("red") + std::string(kLastChunk)
                                     : Reply(403, "forbidden");
                        }));
  const auto client = this->ClientOf(server);
  Journal plain;
  const auto stream = client->Stream({.deadline = In(1min)}, 1min, plain.events());
  EXPECT_TRUE(plain.AwaitEnd().ok());
  EXPECT_EQ(plain.AwaitResponse().status, 403);
  EXPECT_EQ(plain.AwaitResponse().body, "forbidden");
  EXPECT_EQ(plain.text(), "");
  Journal chunked;
  const auto other = client->Stream({.target = "/chunked", .deadline = In(1min)}, 1min, chunked.events());
  EXPECT_TRUE(chunked.AwaitEnd().ok());
  EXPECT_EQ(chunked.AwaitResponse().status, 410);
  EXPECT_EQ(chunked.AwaitResponse().body, "expired");
}

TYPED_TEST(HttpStream, ATooLargeRefusalIsAFailure) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(403, std::string(2000, 'x')); }));
  const auto client = this->ClientOf(server);
  Journal journal;
  const auto stream = client->Stream({.deadline = In(1min), .largest_reply = 1000}, 1min, journal.events());
  const Status end = journal.AwaitEnd();
  ASSERT_FALSE(end.ok());
  EXPECT_THAT(end.error().message, HasSubstr("larger than 1000 bytes"));
  EXPECT_EQ(journal.responses(), 0U);
}

TYPED_TEST(HttpStream, AConnectionThatBreaksIsNoProperEnd) {
  for (const bool by_reset : {false, true}) {
    AnswerBox<bool> go_on;
    ScriptedServer server({}, [&](Conversation& client) {
      Requests(client).Next();
      client.Send(std::string(kChunkedHead) + Chunk("one"));
      go_on.Take();
      if (by_reset) client.Reset();
    });
    const auto client = this->ClientOf(server);
    Journal journal;
    const auto stream = client->Stream({.deadline = In(1min)}, 1min, journal.events());
    journal.AwaitText("one");
    go_on.Put(true);
    const Status end = journal.AwaitEnd();
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, ErrorCode::kUnknown);
  }
}

TYPED_TEST(HttpStream, ItStopsWhenItIsToldTo) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(std::string(kChunkedHead) + Chunk("one"));
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  std::stop_source source;
  const auto stream = client->Stream({.deadline = In(1min), .stop = source.get_token()}, 10min, journal.events());
  journal.AwaitText("one");
  source.request_stop();
  const Status end = journal.AwaitEnd();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kUnknown);
}

TYPED_TEST(HttpStream, DestroyedFromOutsideItIsSilentAndItsConnectionGone) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(kChunkedHead);
    while (client.Send(Chunk("x")) && client.Pause(1ms)) continue;
  });
  const auto client = this->ClientOf(server);
  Journal journal;
  auto stream = client->Stream({.deadline = In(1min)}, 10min, journal.events());
  journal.AwaitText("x");
  stream.reset();
  const std::string before = journal.text();
  server.AwaitEnd(1);
  EXPECT_EQ(journal.text(), before);
  EXPECT_EQ(journal.ends(), 0U);
}

TYPED_TEST(HttpStream, DestroyedInItsOwnCallbackItCallsNoMore) {
  for (const std::string where : {"response", "piece", "refusal"}) {
    SCOPED_TRACE(where);
    ScriptedServer server({}, [&](Conversation& client) {
      Requests(client).Next();
      client.Send(where == "refusal" ? Reply(403, "no") : std::string(kChunkedHead) + Chunk("x") + Chunk("y"));
      client.Swallow();
    });
    const auto client = this->ClientOf(server);
    std::unique_ptr<Streaming> stream;
    std::mutex mutex;  // until the stream is there to be destroyed
    AnswerBox<bool> destroyed;
    std::atomic<int> calls{0};
    const auto destroy = [&] {
      ++calls;
      const std::lock_guard lock(mutex);
      stream.reset();
      destroyed.Put(true);
    };
    {
      const std::lock_guard lock(mutex);
      stream = client->Stream({.deadline = In(1min)}, 10min,
                              {.on_response =
                                   [&](const Response&) {
                                     if (where != "piece") destroy();
                                   },
                               .on_piece = [&](std::string_view) { destroy(); },
                               .on_end = [&](const Status&) { ++calls; }});
    }
    destroyed.Take();
    this->AwaitQuiet(*client);
    EXPECT_EQ(calls, 1);
  }
}

TYPED_TEST(HttpStream, DestroyedInItsLastCallbackItIsGone) {
  ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, "x"); }));
  const auto client = this->ClientOf(server);
  std::unique_ptr<Streaming> stream;
  std::mutex mutex;
  AnswerBox<bool> ended;
  {
    const std::lock_guard lock(mutex);
    stream = client->Stream({.deadline = In(1min)}, 10min, {.on_end = [&](const Status& status) {
                              const std::lock_guard waiting(mutex);
                              stream.reset();
                              ended.Put(status.ok());
                            }});
  }
  EXPECT_TRUE(ended.Take());
}

TYPED_TEST(HttpStream, DestroyingWaitsForTheRunningCallback) {
  ScriptedServer server({}, [&](Conversation& client) {
    Requests(client).Next();
    client.Send(std::string(kChunkedHead) + Chunk("x"));
    client.Swallow();
  });
  const auto client = this->ClientOf(server);
  AnswerBox<bool> entered;
  AnswerBox<bool> go_on;
  std::atomic<bool> left{false};
  auto stream = client->Stream({.deadline = In(1min)}, 10min, {.on_piece = [&](std::string_view) {
                                 entered.Put(true);
                                 go_on.Take();
                                 left = true;
                               }});
  entered.Take();
  std::jthread releaser([&] { go_on.Put(true); });
  stream.reset();
  EXPECT_TRUE(left);
}

}  // namespace
}  // namespace leaderelection::http

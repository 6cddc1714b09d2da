#include "net/stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>

#include "net/answer_box.h"
#include "net/certificates.h"
#include "net/io_thread.h"
#include "net/name_server.h"
#include "net/scripted_server.h"

namespace leaderelection::net {
namespace {

using namespace std::chrono_literals;
using testing::AnswerBox;
using testing::Authority;
using testing::Conversation;
using ::testing::HasSubstr;
using testing::NameServer;
using testing::ScriptedServer;

void Echo(Conversation& client) {
  for (auto bytes = client.Read(); !bytes.empty(); bytes = client.Read()) client.Send(bytes);
}

// A stream on a thread of its own, as blocking calls.
class Caller {
 public:
  explicit Caller(Endpoint server, std::shared_ptr<const TlsContext> tls = nullptr, Lookup::Options lookup = {})
      : stream_(std::make_shared<Stream>(io_.context(), std::move(server), std::move(tls), std::move(lookup))) {}
  ~Caller() {
    io_.RunAndWait([&] { stream_->Close(); });
  }

  Status Connect(MonotonicTime deadline = BootClock::now() + 1min) {
    AnswerBox<Status> box;
    io_.RunAndWait([&] {
      stream_->ExpireAt(deadline);
      stream_->Connect([&](Status status) { box.Put(std::move(status)); });
    });
    return box.Take();
  }

  Result<std::string> Ask(std::string text, MonotonicTime deadline = BootClock::now() + 1min) {
    AnswerBox<Result<std::string>> box;
    const auto question = std::make_shared<std::string>(std::move(text));
    const auto answer = std::make_shared<std::string>(question->size(), '\0');
    io_.RunAndWait([&] {
      stream_->ExpireAt(deadline);
      boost::asio::async_write(*stream_, boost::asio::buffer(*question),
                               [stream = stream_, question](const auto&, std::size_t) {});
      boost::asio::async_read(*stream_, boost::asio::buffer(*answer),
                              [&box, stream = stream_, answer](const auto& error, std::size_t) {
                                if (error) return box.Put(stream->Explain(error));
                                box.Put(*answer);
                              });
    });
    return box.Take();
  }

  Status Tell(std::string text) {
    AnswerBox<Status> box;
    io_.RunAndWait([&] {
      boost::asio::async_write(*stream_, boost::asio::buffer(text), [&](const auto& error, std::size_t) {
        box.Put(error ? Status(stream_->Explain(error)) : Status(std::monostate()));
      });
    });
    return box.Take();
  }

  Stream& stream() { return *stream_; }
  IoThread& io() { return io_; }

 private:
  IoThread io_;
  std::shared_ptr<Stream> stream_;
};

TEST(Stream, CarriesBytesBothWays) {
  ScriptedServer server({}, Echo);
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  EXPECT_EQ(caller.Ask("hello").value(), "hello");
}

TEST(Stream, CarriesBytesBothWaysUnderTls) {
  const Authority authority;
  ScriptedServer server({.tls = {{authority.Issue({.dns = {"localhost"}})}}}, Echo);
  Caller caller({"localhost", server.port()}, TlsContext::Make({.ca_pem = authority.pem()}).value());
  const Status connected = caller.Connect();
  ASSERT_TRUE(connected.ok()) << connected.error().message;
  const std::string much(300'000, 'x');
  EXPECT_EQ(caller.Ask(much).value(), much);
}

TEST(Stream, ARefusalNamesTheServer) {
  const auto port = testing::RefusingPort();
  Caller caller({"127.0.0.1", port});
  const Status connected = caller.Connect();
  ASSERT_FALSE(connected.ok());
  EXPECT_EQ(connected.error().code, ErrorCode::kUnknown);
  EXPECT_EQ(connected.error().message, "cannot connect to 127.0.0.1:" + std::to_string(port) + ": connection refused");
}

TEST(Stream, ConnectingEndsAtTheDeadlineThoughNobodyAccepts) {
  const testing::FullBacklog nobody;
  Caller caller({"127.0.0.1", nobody.port()});
  const Status connected = caller.Connect(BootClock::now() + 200ms);
  ASSERT_FALSE(connected.ok());
  EXPECT_EQ(connected.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(connected.error().message, HasSubstr("cannot connect to 127.0.0.1:"));
}

TEST(Stream, AHandshakeEndsAtTheDeadlineThoughTheServerIsSilent) {
  ScriptedServer server({}, [](Conversation& client) { client.Swallow(); });
  Caller caller({"127.0.0.1", server.port()}, TlsContext::Make({}).value());
  const Status connected = caller.Connect(BootClock::now() + 200ms);
  ASSERT_FALSE(connected.ok());
  EXPECT_EQ(connected.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(connected.error().message, HasSubstr("no TLS handshake with 127.0.0.1:"));
}

TEST(Stream, ALookupEndsAtTheDeadlineThoughTheNameServerIsSilent) {
  const NameServer silent(NameServer::Manner::kSilent);
  Caller caller({"lock.example", 1}, nullptr, {silent.address()});
  const Status connected = caller.Connect(BootClock::now() + 200ms);
  ASSERT_FALSE(connected.ok());
  EXPECT_EQ(connected.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(connected.error().message, HasSubstr("no name server answered for lock.example"));
}

TEST(Stream, AReadEndsAtTheDeadlineThoughTheServerIsSilent) {
  ScriptedServer server({}, [](Conversation& client) { client.Swallow(); });
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  const auto answer = caller.Ask("hello", BootClock::now() + 200ms);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
}

TEST(Stream, AWriteEndsAtTheDeadlineThoughTheServerReadsNothing) {
  ScriptedServer server({}, [](Conversation& client) { client.Hold(); });
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  const auto answer = caller.Ask(std::string(50'000'000, 'x'), BootClock::now() + 300ms);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
}

TEST(Stream, ADeadlineCanBeMovedLater) {
  ScriptedServer server({}, [](Conversation& client) {
    client.Read();
    client.Pause(500ms);
    client.Send("x");
  });
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  caller.io().RunAndWait([&] {
    caller.stream().ExpireAt(BootClock::now());
    caller.stream().ExpireAt(BootClock::now() + 1min);
  });
  EXPECT_EQ(caller.Ask("x").value(), "x");
}

TEST(Stream, TheNextAddressIsTriedWhenOneRefuses) {
  ScriptedServer server({}, Echo);
  const NameServer names(NameServer::Manner::kAnswers, {"127.0.0.9", "127.0.0.1", "127.0.0.8"});
  Caller caller({"lock.example", server.port()}, nullptr, {names.address()});
  const Status connected = caller.Connect();
  ASSERT_TRUE(connected.ok()) << connected.error().message;
  EXPECT_EQ(caller.Ask("hello").value(), "hello");
}

TEST(Stream, AResetWhileWritingRaisesNoSignal) {
  AnswerBox<bool> connected;
  ScriptedServer server({}, [&](Conversation& client) {
    connected.Take();
    client.Reset();
  });
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  connected.Put(true);
  EXPECT_FALSE(caller.Ask("hello").ok());
  const Status told = caller.Tell("hello");
  ASSERT_FALSE(told.ok());
  EXPECT_THAT(told.error().message, HasSubstr("connection reset by the server"));
}

TEST(Stream, AStaleConnectionShows) {
  AnswerBox<bool> close;
  ScriptedServer server({}, [&](Conversation&) { close.Take(); });
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  EXPECT_FALSE(caller.stream().IsStale());
  close.Put(true);
  EXPECT_FALSE(caller.Ask("x").ok());
  EXPECT_TRUE(caller.stream().IsStale());
}

TEST(Stream, ClosingEndsWhatIsUnderWay) {
  ScriptedServer server({}, [](Conversation& client) { client.Swallow(); });
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  caller.io().Post([&] { caller.stream().Close(); });
  const auto answer = caller.Ask("hello");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnknown);
}

TEST(Stream, ItsSocketsAreNotInheritedByOtherPrograms) {
  ScriptedServer server({}, Echo);
  Caller caller({"127.0.0.1", server.port()});
  ASSERT_TRUE(caller.Connect().ok());
  int connected = 0;
  for (int handle = 3; handle < 256; ++handle) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(handle, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sin_family != AF_INET || ntohs(peer.sin_port) != server.port()) continue;
    ++connected;
    EXPECT_TRUE(::fcntl(handle, F_GETFD) & FD_CLOEXEC);
  }
  EXPECT_EQ(connected, 1);
}

}  // namespace
}  // namespace leaderelection::net

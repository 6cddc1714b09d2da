// Every test of the contract runs once for each who speaks HTTP here.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "http/beast_client.h"
#include "http/client.h"
#include "http/cpprest_client.h"
#include "http/http_server.h"
#include "net/answer_box.h"
#include "net/certificates.h"
#include "net/io_thread.h"
#include "net/scripted_server.h"

namespace leaderelection::http {

using namespace std::chrono_literals;
using testing::AnswerBox;
using testing::Answering;
using testing::Asked;
using testing::Authority;
using testing::Chunk;
using testing::Conversation;
using ::testing::HasSubstr;
using testing::kChunkedHead;
using testing::kLastChunk;
using ::testing::Not;
using testing::Notes;
using testing::Reply;
using testing::Requests;
using testing::ScriptedServer;

struct Beast {
  static constexpr const char* kName = "Beast";
  static constexpr int kMostConnectionsInTurn = 1;
  static constexpr bool kReadsAfterAFailedWrite = true;
  static std::unique_ptr<Client> Make(net::Endpoint server) {
    return MakeBeastClient(std::move(server), std::make_shared<net::IoThread>());
  }
  // Two that share what can be shared.
  static std::pair<std::unique_ptr<Client>, std::unique_ptr<Client>> MakeTwo(const net::Endpoint& server) {
    const auto io = std::make_shared<net::IoThread>();
    return {MakeBeastClient(server, io), MakeBeastClient(server, io)};
  }
};

#ifdef LEADERELECTION_TESTS_CPPREST
struct Cpprest {
  static constexpr const char* kName = "Cpprest";
  // It gives a connection back a little later than it gives the reply.
  static constexpr int kMostConnectionsInTurn = 4;
  static constexpr bool kReadsAfterAFailedWrite = false;
  static std::unique_ptr<Client> Make(net::Endpoint server) {
    return MakeCpprestClient(std::move(server), std::make_shared<net::IoThread>());
  }
  static std::pair<std::unique_ptr<Client>, std::unique_ptr<Client>> MakeTwo(const net::Endpoint& server) {
    const auto io = std::make_shared<net::IoThread>();
    return {MakeCpprestClient(server, io), MakeCpprestClient(server, io)};
  }
};
using Implementations = ::testing::Types<Beast, Cpprest>;
#else
using Implementations = ::testing::Types<Beast>;
#endif

struct NameOfImplementation {
  template <class Implementation>
  static std::string GetName(int) {
    return Implementation::kName;
  }
};

inline MonotonicTime In(std::chrono::milliseconds time) { return BootClock::now() + time; }

template <class Implementation>
class ClientTest : public ::testing::Test {
 protected:
  static std::unique_ptr<Client> ClientOf(const ScriptedServer& server, std::string host = "127.0.0.1") {
    return Implementation::Make({std::move(host), server.port()});
  }

  // Waits for the outcome; the deadline is a minute off unless the request has one.
  static Result<Response> Ask(Client& client, Request request = {}) {
    if (request.deadline == kNever) request.deadline = In(1min);
    AnswerBox<Result<Response>> box;
    client.Send(std::move(request), [&](Result<Response> result) { box.Put(std::move(result)); });
    return box.Take();
  }

  // When this returns, what the client had to do before has been done.
  static void AwaitQuiet(Client& client) { EXPECT_FALSE(Ask(client, {.deadline = In(-1s)}).ok()); }

  static Response Expect(Client& client, Request request = {}) {
    Result<Response> result = Ask(client, std::move(request));
    if (result.ok()) return std::move(result).value();
    ADD_FAILURE() << result.error().message;
    return {};
  }

  static Error ExpectFailure(Client& client, ErrorCode code, Request request = {}) {
    const Result<Response> result = Ask(client, std::move(request));
    if (!result.ok()) {
      EXPECT_EQ(result.error().code, code) << result.error().message;
      return result.error();
    }
    ADD_FAILURE() << "answered with " << result->status << ": " << result->body;
    return {};
  }
};

}  // namespace leaderelection::http

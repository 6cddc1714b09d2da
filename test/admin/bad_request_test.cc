// Requests that are slow, too large or without end, from whoever can reach the port.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "admin/http_client.h"
#include "leaderelection/admin_server.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

class BadRequest : public testing::Test {
 protected:
  BadRequest() {
    auto started = AdminServer::Start({.request_timeout = 1s});
    server_ = std::move(started).value();
  }
  ~BadRequest() override { EXPECT_EQ(Ask(address(), "GET", "/healthz").status, 200) << "no longer serves"; }

  const std::string& address() const { return server_->address(); }

  // Sends a piece every 100 ms as long as the server lets it; returns how many it took, `most` if it never closed.
  static int Drip(const HttpConnection& connection, const std::string& piece, int most) {
    for (int sent = 0; sent < most; ++sent) {
      if (connection.ClosedWithin(100ms) || !connection.Send(piece)) return sent;
    }
    return most;
  }

  std::unique_ptr<AdminServer> server_;
};

TEST_F(BadRequest, ASilentConnectionIsClosed) {
  const HttpConnection connection(address());
  EXPECT_TRUE(connection.HearsWithin(30s));
}

TEST_F(BadRequest, AHeaderThatDripsIsCutOff) {
  const HttpConnection connection(address());
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  EXPECT_LT(Drip(connection, "a", 300), 300);
}

TEST_F(BadRequest, AHeaderWithoutEndIsCutOff) {
  const HttpConnection connection(address());
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ");
  const std::string part(1024, 'a');
  int parts = 0;
  while (parts < 100'000 && connection.Send(part)) ++parts;
  EXPECT_LT(parts, 100'000);
}

TEST_F(BadRequest, ATargetThatIsTooLongIsRefused) {
  const Answer answer = Ask(address(), "GET", "/" + std::string(100'000, 'a'));
  EXPECT_TRUE(answer.status == 0 || answer.status >= 400) << answer.status;
}

TEST_F(BadRequest, ABodyWithoutEndIsNotRead) {
  const HttpConnection connection(address());
  connection.Send("POST /step-down HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n");
  const std::string part(65536, 'a');
  int parts = 0;
  while (parts < 20'000 && connection.Send(part)) ++parts;
  EXPECT_LT(parts, 20'000);
}

TEST_F(BadRequest, ABodyThatDripsIsCutOff) {
  const HttpConnection connection(address());
  connection.Send("POST /step-down HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_LT(Drip(connection, "a", 300), 300);
}

TEST_F(BadRequest, ChunksWithoutEndAreCutOff) {
  const HttpConnection connection(address());
  connection.Send("POST /step-down HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_LT(Drip(connection, "1\r\na\r\n", 300), 300);
}

TEST_F(BadRequest, ManySilentConnectionsDoNotKeepOthersOutForLong) {
  std::vector<std::unique_ptr<HttpConnection>> silent;
  for (int i = 0; i < 12; ++i) silent.push_back(std::make_unique<HttpConnection>(address()));
  EXPECT_EQ(Ask(address(), "GET", "/healthz").status, 200);
}

TEST_F(BadRequest, NonsenseIsRefused) {
  for (const char* nonsense : {"\r\n\r\n", "x\r\n\r\n", "GET\r\n\r\n", "GET /healthz\r\n\r\n",
                               "\x16\x03\x01\x02\r\n\r\n", "GET /healthz HTTP/9.9\r\n\r\n"}) {
    const HttpConnection connection(address());
    connection.Send(nonsense);
    const Answer answer = connection.Read();
    EXPECT_TRUE(answer.status == 0 || answer.status >= 400) << nonsense << answer.status;
  }
}

TEST_F(BadRequest, NoFileOfTheHostIsServed) {
  for (const char* path : {"/../../../../etc/passwd", "/etc/passwd", "/.", "//etc/passwd", "/%2e%2e/etc/passwd"}) {
    const Answer answer = Ask(address(), "GET", path);
    EXPECT_TRUE(answer.status == 404 || answer.status == 400) << path << answer.status;
  }
}

TEST_F(BadRequest, OtherMethodsAreRefusedByName) {
  const Answer answer = Ask(address(), "DELETE", "/healthz");
  EXPECT_EQ(answer.status, 405);
  EXPECT_THAT(answer.head, testing::HasSubstr("Allow: GET, HEAD"));
}

TEST_F(BadRequest, HeadGetsNoBody) {
  const Answer answer = Ask(address(), "HEAD", "/healthz");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
}

}  // namespace
}  // namespace leaderelection

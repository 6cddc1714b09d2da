// Whom the clients talk to under TLS, and what they say when they do not.

#include "http/client_fixture.h"

namespace leaderelection::http {
namespace {

using ::testing::AnyOf;

template <class Implementation>
class HttpTls : public ClientTest<Implementation> {
 protected:
  [[nodiscard]] ScriptedServer::Options Serving(const testing::CertificateWish& wish) const {
    return {.tls = {{authority_.Issue(wish)}}};
  }
  [[nodiscard]] std::shared_ptr<const net::TlsContext> Trusting(net::TlsSettings settings = {}) const {
    settings.ca_pem = authority_.pem();
    return net::TlsContext::Make(settings).value();
  }

  // The text of the failure that this certificate meets with.
  std::string Refusal(const testing::CertificateWish& wish, const std::string& host = "localhost") {
    ScriptedServer server(Serving(wish), Greet());
    const auto client = this->ClientOf(server, host);
    return this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = Trusting()}).message;
  }

  static ScriptedServer::Script Greet() {
    return Answering([](const Asked&) { return Reply(200, "hello"); });
  }

  const Authority authority_;
};
TYPED_TEST_SUITE(HttpTls, Implementations, NameOfImplementation);

TYPED_TEST(HttpTls, ATrustedServerIsTalkedToAndAskedForByName) {
  AnswerBox<std::string> name;
  ScriptedServer server(this->Serving({.dns = {"localhost"}}), [&](Conversation& client) {
    name.Put(client.asked_name());
    TestFixture::Greet()(client);
  });
  const auto client = this->ClientOf(server, "localhost");
  const auto tls = this->Trusting();
  EXPECT_EQ(this->Expect(*client, {.tls = tls}).body, "hello");
  EXPECT_EQ(name.Take(), "localhost");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(this->Expect(*client, {.tls = tls}).body, "hello");
  EXPECT_LE(server.connections(), TypeParam::kMostConnectionsInTurn);
}

TYPED_TEST(HttpTls, AnAddressInTheCertificateCounts) {
  ScriptedServer server(this->Serving({.addresses = {"127.0.0.1"}}), TestFixture::Greet());
  const auto client = this->ClientOf(server);
  EXPECT_EQ(this->Expect(*client, {.tls = this->Trusting()}).body, "hello");
}

TYPED_TEST(HttpTls, LargeBodiesGoBothWays) {
  ScriptedServer server(this->Serving({.addresses = {"127.0.0.1"}}),
                        Answering([](const Asked& asked) { return Reply(200, asked.body); }));
  const auto client = this->ClientOf(server);
  const std::string body(1'000'000, 'x');
  EXPECT_EQ(this->Expect(*client, {.method = "PUT", .body = body, .tls = this->Trusting()}).body, body);
}

TYPED_TEST(HttpTls, AForeignAuthorityIsRefused) {
  const Authority foreign;
  ScriptedServer server({.tls = {{foreign.Issue({.dns = {"localhost"}})}}}, TestFixture::Greet());
  const auto client = this->ClientOf(server, "localhost");
  // Of the same name as the one trusted, as after a rotation.
  EXPECT_THAT(this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = this->Trusting()}).message,
              HasSubstr("certificate signature failure"));
  EXPECT_THAT(this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = net::TlsContext::Make({}).value()}).message,
              HasSubstr("unable to get local issuer certificate"));
}

TYPED_TEST(HttpTls, ASelfSignedServerIsRefused) {
  ScriptedServer server({.tls = {{testing::SelfSigned({.dns = {"localhost"}})}}}, TestFixture::Greet());
  const auto client = this->ClientOf(server, "localhost");
  EXPECT_THAT(this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = this->Trusting()}).message,
              HasSubstr("self-signed certificate"));
}

TYPED_TEST(HttpTls, AnotherNameIsRefused) {
  EXPECT_THAT(this->Refusal({.dns = {"elsewhere.example"}}),
              HasSubstr("certificate is for elsewhere.example, not localhost"));
  EXPECT_THAT(this->Refusal({.addresses = {"127.0.0.2"}}, "127.0.0.1"),
              HasSubstr("certificate is for 127.0.0.2, not 127.0.0.1"));
  EXPECT_THAT(this->Refusal({.common_name = "localhost"}), HasSubstr("certificate is for no name, not localhost"));
}

TYPED_TEST(HttpTls, ACertificateOutOfItsTimeIsRefused) {
  using std::chrono::hours;
  EXPECT_THAT(this->Refusal({.dns = {"localhost"}, .valid_from = hours(-48), .valid_until = hours(-24)}),
              HasSubstr("certificate has expired"));
  EXPECT_THAT(this->Refusal({.dns = {"localhost"}, .valid_from = hours(24), .valid_until = hours(48)}),
              HasSubstr("certificate is not yet valid"));
}

TYPED_TEST(HttpTls, ARefusedServerGetsNoRequest) {
  Notes notes;
  const Authority foreign;
  ScriptedServer server({.tls = {{foreign.Issue({.dns = {"localhost"}})}}}, Answering([&](const Asked& asked) {
                          notes.Add(asked);
                          return Reply(200, "");
                        }));
  const auto client = this->ClientOf(server, "localhost");
  const Error error = this->ExpectFailure(*client, ErrorCode::kUnknown,
                                          {.bearer_token = net::Secret("canary"), .tls = this->Trusting()});
  EXPECT_THAT(error.message, Not(HasSubstr("canary")));
  EXPECT_EQ(notes.all().size(), 0U);
}

TYPED_TEST(HttpTls, TheNameToExpectCanBeGiven) {
  AnswerBox<std::string> name;
  ScriptedServer server(this->Serving({.dns = {"kubernetes.default.svc"}}), [&](Conversation& client) {
    name.Put(client.asked_name());
    TestFixture::Greet()(client);
  });
  const auto client = this->ClientOf(server);
  const auto tls = this->Trusting({.server_name = "kubernetes.default.svc"});
  EXPECT_EQ(this->Expect(*client, {.tls = tls}).body, "hello");
  EXPECT_EQ(name.Take(), "kubernetes.default.svc");
}

TYPED_TEST(HttpTls, VerificationIsOffOnlyWhenSpelledOut) {
  ScriptedServer server({.tls = {{testing::SelfSigned({.dns = {"elsewhere"}})}}}, TestFixture::Greet());
  const auto client = this->ClientOf(server);
  EXPECT_EQ(this->Expect(*client, {.tls = net::TlsContext::Make({.insecure_skip_verify = true}).value()}).body,
            "hello");
  this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = net::TlsContext::Make({}).value()});
}

TYPED_TEST(HttpTls, AnOldVersionIsRefused) {
  ScriptedServer server(
      {.tls = {{.identity = this->authority_.Issue({.dns = {"localhost"}}), .newest_version = TLS1_1_VERSION}}},
      TestFixture::Greet());
  const auto client = this->ClientOf(server, "localhost");
  EXPECT_THAT(this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = this->Trusting()}).message,
              HasSubstr("the server offers no TLS 1.2 or newer"));
}

TYPED_TEST(HttpTls, VersionOneTwoWillDo) {
  ScriptedServer server(
      {.tls = {{.identity = this->authority_.Issue({.dns = {"localhost"}}), .newest_version = TLS1_2_VERSION}}},
      TestFixture::Greet());
  const auto client = this->ClientOf(server, "localhost");
  EXPECT_EQ(this->Expect(*client, {.tls = this->Trusting()}).body, "hello");
}

TYPED_TEST(HttpTls, APlainServerIsNamedAsSuch) {
  ScriptedServer server({}, [](Conversation& client) {
    client.Read();
    client.Send("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const auto client = this->ClientOf(server);
  EXPECT_THAT(this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = this->Trusting()}).message,
              HasSubstr("no TLS on this port"));
}

TYPED_TEST(HttpTls, ATlsServerAskedInPlainTextIsAFailure) {
  ScriptedServer server(this->Serving({.dns = {"localhost"}}), TestFixture::Greet());
  const auto client = this->ClientOf(server, "localhost");
  this->ExpectFailure(*client, ErrorCode::kUnknown);
}

TYPED_TEST(HttpTls, AClientCertificateIsShownWhenAskedFor) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ScriptedServer server({.tls = {{.identity = this->authority_.Issue({.dns = {"localhost"}}),
                                    .client_authority = this->authority_.pem(),
                                    .newest_version = version}}},
                          TestFixture::Greet());
    const auto client = this->ClientOf(server, "localhost");
    const auto own = this->authority_.Issue({.common_name = "candidate"});
    EXPECT_EQ(
        this->Expect(*client,
                     {.tls = this->Trusting({.certificate_pem = own.certificate, .key_pem = net::Secret(own.key)})})
            .body,
        "hello");
    const auto expect_refusal = [&](const std::string& cause, const net::TlsSettings& settings) {
      // With TLS 1.3 the refusal comes while the request is being written already.
      const std::string message =
          this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = this->Trusting(settings)}).message;
      if (TypeParam::kReadsAfterAFailedWrite || version == TLS1_2_VERSION) {
        EXPECT_THAT(message, HasSubstr(cause));
      } else {
        EXPECT_THAT(message, AnyOf(HasSubstr(cause), HasSubstr("connection reset by the server")));
      }
    };
    expect_refusal("require", {});
    const auto foreign = testing::SelfSigned({.common_name = "candidate"});
    expect_refusal("the server refused our client certificate",
                   {.certificate_pem = foreign.certificate, .key_pem = net::Secret(foreign.key)});
  }
}

TYPED_TEST(HttpTls, ANewContextMeansANewConnection) {
  ScriptedServer server(this->Serving({.dns = {"localhost"}}), TestFixture::Greet());
  const auto client = this->ClientOf(server, "localhost");
  const auto old_context = this->Trusting();
  EXPECT_EQ(this->Expect(*client, {.tls = old_context}).body, "hello");
  // The connection that is there was verified by the old authority, which must not help the new one.
  const Authority other;
  this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = net::TlsContext::Make({.ca_pem = other.pem()}).value()});
  const int before = server.connections();
  EXPECT_EQ(this->Expect(*client, {.tls = this->Trusting()}).body, "hello");
  EXPECT_EQ(server.connections(), before + 1);
  EXPECT_EQ(this->Expect(*client, {.tls = old_context}).body, "hello");
}

TYPED_TEST(HttpTls, AfterABrokenConnectionTheNextRequestIsServed) {
  for (const std::string how : {"closing", "unannounced", "reset"}) {
    SCOPED_TRACE(how);
    ScriptedServer server(this->Serving({.dns = {"localhost"}}), [&](Conversation& client) {
      Requests requests(client);
      while (const auto asked = requests.Next()) {
        if (asked->target == "/bad")
          return how == "reset" ? client.Reset() : how == "unannounced" ? client.EndUnannounced() : void();
        client.Send(Reply(200, "good"));
      }
    });
    const auto client = this->ClientOf(server, "localhost");
    const auto tls = this->Trusting();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(this->Expect(*client, {.tls = tls}).body, "good");
      this->ExpectFailure(*client, ErrorCode::kUnknown, {.target = "/bad", .tls = tls});
    }
  }
}

TYPED_TEST(HttpTls, AReplyCutOffWithoutAClosingWordIsNotWhole) {
  // Without Content-Length only TLS's own end of the connection tells a whole reply from one that an attacker cut.
  ScriptedServer server(this->Serving({.dns = {"localhost"}}), [](Conversation& client) {
    Requests(client).Next();
    client.Send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"cut\":");
    client.EndUnannounced();
  });
  const auto client = this->ClientOf(server, "localhost");
  this->ExpectFailure(*client, ErrorCode::kUnknown, {.tls = this->Trusting()});
}

}  // namespace
}  // namespace leaderelection::http

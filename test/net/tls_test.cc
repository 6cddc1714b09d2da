#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "net/certificates.h"

namespace leaderelection::net {
namespace {

using testing::Authority;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

std::string ErrorOf(const TlsSettings& settings) {
  const auto made = TlsContext::Make(settings);
  if (made.ok()) return "";
  EXPECT_EQ(made.error().code, ErrorCode::kInvalid);
  return made.error().message;
}

TEST(TlsContext, TakesFilesAndTheirContentsAlike) {
  const TemporaryFolder folder;
  const Authority authority;
  const auto client = authority.Issue({});
  EXPECT_EQ(ErrorOf({.ca_file = folder.Write("ca", authority.pem()),
                     .certificate_file = folder.Write("crt", client.certificate),
                     .key_file = folder.Write("key", client.key)}),
            "");
  EXPECT_EQ(ErrorOf({.ca_pem = authority.pem(), .certificate_pem = client.certificate, .key_pem = Secret(client.key)}),
            "");
}

TEST(TlsContext, AMissingAuthorityIsAnErrorNotALackOfVerification) {
  EXPECT_EQ(ErrorOf({.ca_file = "/nowhere/ca.crt"}),
            "cannot read the CA file /nowhere/ca.crt: No such file or directory");
  const TemporaryFolder folder;
  EXPECT_THAT(ErrorOf({.ca_file = folder.Write("ca", "")}), HasSubstr("it is empty"));
  EXPECT_THAT(ErrorOf({.ca_file = folder.Write("ca", "hello")}), HasSubstr("holds no certificate"));
  EXPECT_THAT(ErrorOf({.ca_file = folder.path()}), HasSubstr("Is a directory"));
}

TEST(TlsContext, ACertificateAndItsKeyComeTogether) {
  const Authority authority;
  const auto one = authority.Issue({});
  const auto other = authority.Issue({});
  EXPECT_EQ(ErrorOf({.certificate_pem = one.certificate}), "a client certificate without a client key");
  EXPECT_EQ(ErrorOf({.key_pem = Secret(one.key)}), "a client key without a client certificate");
  EXPECT_EQ(ErrorOf({.certificate_pem = one.certificate, .key_pem = Secret(other.key)}),
            "the client certificate and the client key do not belong together");
}

TEST(TlsContext, AnUnreadableKeyIsNamedAndNotQuoted) {
  const TemporaryFolder folder;
  const auto client = Authority().Issue({});
  const std::string key = folder.Write("key", "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n");
  const std::string error = ErrorOf({.certificate_pem = client.certificate, .key_file = key});
  EXPECT_EQ(error, "the client key (" + key + ") is not an unencrypted private key in PEM form");
  EXPECT_THAT(ErrorOf({.certificate_pem = client.certificate, .key_pem = Secret("canary")}), Not(HasSubstr("canary")));
}

TEST(TlsContext, AKeyWithAPasswordIsRefusedWithoutAsking) {
  const auto client = Authority().Issue({});
  const std::string encrypted =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
      "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgJlsTRPrFmNAICCAAw\n"
      "-----END ENCRYPTED PRIVATE KEY-----\n";
  EXPECT_THAT(ErrorOf({.certificate_pem = client.certificate, .key_pem = Secret(encrypted)}),
              HasSubstr("not an unencrypted private key"));
}

TEST(TlsContext, VerifiesUnlessToldOtherwiseInSoManyWords) {
  EXPECT_TRUE(TlsContext::Make({}).value()->verifies());
  EXPECT_EQ(SSL_CTX_get_verify_mode(TlsContext::Make({}).value()->Share().native_handle()), SSL_VERIFY_PEER);
  EXPECT_FALSE(TlsContext::Make({.insecure_skip_verify = true}).value()->verifies());
}

TEST(TlsContext, ANameThatCannotBeVerifiedIsRefused) {
  const auto tls = TlsContext::Make({}).value();
  auto context = tls->Share();
  for (const std::string name : {"", "."}) {
    SSL* connection = SSL_new(context.native_handle());
    const auto verdict = std::make_shared<TlsVerdict>();
    tls->Prepare(connection, name, verdict);
    EXPECT_THAT(verdict->cause(), HasSubstr("is no name or address"));
    SSL_free(connection);
  }
}

}  // namespace
}  // namespace leaderelection::net

#include "kubernetes/api_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const LeaseName kDemo{"default", "demo"};

http::Response Answer(int status, std::string body, http::Headers headers = {{"Content-Type", "application/json"}}) {
  return {.status = status, .headers = std::move(headers), .body = std::move(body)};
}

http::Response Refusal(int status, const std::string& reason, const Json& details = Json::object()) {
  const Json body{{"kind", "Status"},  {"apiVersion", "v1"}, {"status", "Failure"},
                  {"code", status},    {"reason", reason},   {"message", "no, for a reason"},
                  {"details", details}};
  return Answer(status, body.dump());
}

const Json kAboutTheLease{{"name", "demo"}, {"kind", "leases"}, {"group", "coordination.k8s.io"}};
const Json kAboutTheNamespace{{"name", "default"}, {"kind", "namespaces"}};

const std::string kLease =
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"demo","namespace":"default",)"
    R"("uid":"1","resourceVersion":"7"},"spec":{"holderIdentity":"a"}})";

TEST(ApiStatus, ARefusalIsWhatItsCodeAndVerbSay) {
  struct Row {
    Verb verb;
    http::Response response;
    ErrorCode code;
  };
  const Row rows[] = {
      {Verb::kUpdate, Refusal(400, "BadRequest"), ErrorCode::kInvalid},
      {Verb::kGet, Refusal(401, "Unauthorized"), ErrorCode::kDenied},
      {Verb::kCreate, Refusal(403, "Forbidden"), ErrorCode::kDenied},
      {Verb::kGet, Refusal(404, "NotFound", kAboutTheLease), ErrorCode::kNotFound},
      {Verb::kUpdate, Refusal(404, "NotFound", kAboutTheLease), ErrorCode::kNotFound},
      {Verb::kCreate, Refusal(404, "NotFound", kAboutTheNamespace), ErrorCode::kInvalid},
      {Verb::kGet, Refusal(404, "NotFound"), ErrorCode::kInvalid},
      {Verb::kCreate, Refusal(409, "AlreadyExists"), ErrorCode::kAlreadyExists},
      {Verb::kCreate, Refusal(409, "Conflict"), ErrorCode::kThrottled},
      {Verb::kUpdate, Refusal(409, "Conflict"), ErrorCode::kConflict},
      {Verb::kUpdate, Refusal(413, "RequestEntityTooLarge"), ErrorCode::kInvalid},
      {Verb::kUpdate, Refusal(422, "Invalid"), ErrorCode::kInvalid},
      {Verb::kUpdate, Refusal(429, "TooManyRequests"), ErrorCode::kThrottled},
      {Verb::kUpdate, Refusal(410, "Expired"), ErrorCode::kUnknown},
      {Verb::kUpdate, Refusal(500, "InternalError"), ErrorCode::kUnknown},
      {Verb::kUpdate, Refusal(503, "ServiceUnavailable"), ErrorCode::kUnknown},
      {Verb::kUpdate, Refusal(504, "Timeout"), ErrorCode::kUnknown},
  };
  for (const Row& row : rows) {
    const Error error = TranslateRefusal(row.verb, kDemo, row.response);
    EXPECT_EQ(error.code, row.code) << row.response.body;
    EXPECT_THAT(error.message, AllOf(HasSubstr(std::to_string(row.response.status)), HasSubstr("no, for a reason")));
  }
}

// Rule 7: only a well-formed Status is a definite no.
TEST(ApiStatus, WhatIsNoStatusOfThatCodeMayHaveLanded) {
  const http::Response rows[] = {
      Answer(409, "<html>conflict</html>", {{"Content-Type", "text/html"}}),
      Answer(403, ""),
      Answer(404, "404 page not found", {{"Content-Type", "text/plain"}}),
      Answer(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":404})"),
      Answer(409, R"({"kind":"Status","apiVersion":"v1","status":"Success","code":409})"),
      Answer(409, R"({"kind":"Status","apiVersion":"v2","status":"Failure","code":409})"),
      Answer(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":"409"})"),
      Answer(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure"})"),
      Answer(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":409)"),
      Answer(409, R"([])"),
  };
  for (const http::Response& response : rows) {
    const Error error = TranslateRefusal(Verb::kUpdate, kDemo, response);
    EXPECT_EQ(error.code, ErrorCode::kUnknown) << response.body;
    EXPECT_THAT(error.message, HasSubstr("no answer of an API server"));
  }
}

TEST(ApiStatus, AStrangersAnswerIsNamedByItsTypeAndNotQuoted) {
  const Error page = TranslateRefusal(Verb::kGet, kDemo, Answer(502, "<b>canary</b>", {{"Content-Type", "text/html"}}));
  EXPECT_EQ(page.message, "the server answered 502 with text/html, which is no answer of an API server");
  const Error redirect = TranslateRefusal(Verb::kGet, kDemo, Answer(302, "", {{"Location", "https://canary"}}));
  EXPECT_EQ(redirect.code, ErrorCode::kUnknown);
  EXPECT_EQ(redirect.message, "the server answered 302, a redirect, which is not followed");
}

TEST(ApiStatus, RetryAfterIsTheServersWishWithinAMinute) {
  struct Row {
    const char* text;
    std::optional<std::chrono::milliseconds> wish;
  };
  for (const Row& row :
       {Row{"1", 1s}, Row{"0", 0s}, Row{"100", 60s}, Row{"99999999999999999999", 60s}, Row{"-1", std::nullopt},
        Row{"soon", std::nullopt}, Row{"", std::nullopt}, Row{"Wed, 21 Oct 2026 07:28:00 GMT", std::nullopt}}) {
    for (const int status : {429, 503}) {
      http::Response response = Refusal(status, "TooManyRequests");
      response.headers.emplace_back("retry-after", row.text);
      EXPECT_EQ(TranslateRefusal(Verb::kUpdate, kDemo, response).retry_after, row.wish) << row.text;
    }
  }
  EXPECT_EQ(TranslateRefusal(Verb::kUpdate, kDemo, Refusal(429, "TooManyRequests")).retry_after, std::nullopt);
}

TEST(ApiStatus, ALongMessageIsCutAndKeptOnOneLine) {
  const Json body{{"kind", "Status"},
                  {"apiVersion", "v1"},
                  {"status", "Failure"},
                  {"code", 403},
                  {"message", "a\n" + std::string(5000, 'x')}};
  const Error error = TranslateRefusal(Verb::kGet, kDemo, Answer(403, body.dump()));
  EXPECT_LT(error.message.size(), 400U);
  EXPECT_THAT(error.message, Not(HasSubstr("\n")));
}

TEST(ApiStatus, ALeaseIsRead) {
  const auto stored = TranslateObject(Verb::kGet, kDemo, Answer(200, kLease));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->version.order, 7U);
  EXPECT_EQ(stored->record.holder_identity, "a");
}

TEST(ApiStatus, AReadOfWhatIsNoRecordIsCorruptButAWriteMayHaveLanded) {
  std::string pod = kLease;
  pod.replace(pod.find("Lease"), 5, "Pod");
  EXPECT_EQ(TranslateObject(Verb::kGet, kDemo, Answer(200, pod)).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(TranslateObject(Verb::kUpdate, kDemo, Answer(200, pod)).error().code, ErrorCode::kUnknown);
  EXPECT_EQ(TranslateObject(Verb::kCreate, kDemo, Answer(201, pod)).error().code, ErrorCode::kUnknown);
}

TEST(ApiStatus, ATwoHundredThatIsNoJsonIsNobodysAnswer) {
  for (const Verb verb : {Verb::kGet, Verb::kCreate, Verb::kUpdate}) {
    for (const std::string& body : {std::string(), std::string("<html>log in</html>"), kLease.substr(0, 50)}) {
      EXPECT_EQ(TranslateObject(verb, kDemo, Answer(200, body)).error().code, ErrorCode::kUnknown) << body;
    }
  }
}

TEST(ApiStatus, AWatchIsExpiredByCode410) {
  EXPECT_TRUE(IsExpired(Json{{"code", 410}}));
  EXPECT_FALSE(IsExpired(Json{{"code", 500}}));
  EXPECT_FALSE(IsExpired(Json::array()));
}

}  // namespace
}  // namespace leaderelection

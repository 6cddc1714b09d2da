#include "consul/transaction.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "consul/refusal.h"

namespace leaderelection::consul {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Verbs(const Transaction& transaction) {
  std::vector<std::string> verbs;
  for (const auto& operation : nlohmann::json::parse(ToJson(transaction))) {
    EXPECT_EQ(operation.at("KV").at("Key"), transaction.key);
    verbs.push_back(operation["KV"]["Verb"]);
  }
  return verbs;
}

TEST(TransactionTest, ACreationChecksThatThereIsNoKeyAndLocksIt) {
  EXPECT_THAT(Verbs({.key = "k", .lock = "own"}), ElementsAre("check-not-exists", "lock"));
}

TEST(TransactionTest, ARenewalChecksTheIndexAndLocksAgain) {
  const Transaction renewal{.key = "k", .expected_index = 7, .lock = "own"};
  EXPECT_THAT(Verbs(renewal), ElementsAre("check-index", "lock"));
  EXPECT_EQ(nlohmann::json::parse(ToJson(renewal))[0]["KV"]["Index"], 7);
}

TEST(TransactionTest, ATakeOverIsOneTransactionThatUnlocksWithTheSessionFound) {
  const Transaction take_over{.key = "k", .expected_index = 7, .unlock = "dead", .lock = "own"};
  EXPECT_THAT(Verbs(take_over), ElementsAre("check-index", "unlock", "lock"));
  const auto operations = nlohmann::json::parse(ToJson(take_over));
  EXPECT_EQ(operations[1]["KV"]["Session"], "dead");
  EXPECT_EQ(operations[2]["KV"]["Session"], "own");
}

TEST(TransactionTest, AReleaseUnlocksAndWrites) {
  const Transaction release{.key = "k", .expected_index = 7, .unlock = "own", .value = "x"};
  EXPECT_THAT(Verbs(release), ElementsAre("check-index", "unlock"));
  EXPECT_EQ(nlohmann::json::parse(ToJson(release))[1]["KV"]["Value"], "eA==");
}

TEST(TransactionTest, AFreeKeyIsWrittenWithoutALock) {
  EXPECT_THAT(Verbs({.key = "k", .expected_index = 7}), ElementsAre("check-index", "set"));
}

TEST(OutcomeTest, TheIndexIsThatOfTheLastOperation) {
  const auto outcome = ParseOutcome(
      {.status = 200, .body = R"({"Results":[{"KV":{"ModifyIndex":7}},{"KV":{"ModifyIndex":9}}],"Errors":null})"});
  EXPECT_EQ(outcome.kind, Outcome::Kind::kWritten);
  EXPECT_EQ(outcome.index, 9U);
}

struct Refused {
  const char* what;
  Outcome::Kind kind;
  ErrorCode code;
};

class RefusedTransactionTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedTransactionTest, IsUnderstoodByItsSentence) {
  const nlohmann::json body{{"Results", nullptr}, {"Errors", {{{"OpIndex", 0}, {"What", GetParam().what}}}}};
  const auto outcome = ParseOutcome({.status = 409, .body = body.dump()});
  EXPECT_EQ(outcome.kind, GetParam().kind);
  EXPECT_EQ(outcome.error.code, GetParam().code);
  EXPECT_THAT(outcome.error.message, HasSubstr(GetParam().what));
}

using enum Outcome::Kind;
INSTANTIATE_TEST_SUITE_P(
    Sentences, RefusedTransactionTest,
    ::testing::Values(
        Refused{"failed index check for key \"k\", current modify index 9 != 7", kChanged, ErrorCode::kConflict},
        Refused{"key \"k\" exists", kChanged, ErrorCode::kConflict},
        Refused{"failed to lock key \"k\", lock is already held", kChanged, ErrorCode::kConflict},
        Refused{"failed to lock key \"k\" due to lock delay", kFailed, ErrorCode::kThrottled},
        Refused{"invalid session \"own\"", kSessionGone, ErrorCode::kConflict},
        Refused{"Permission denied: token lacks permission 'key:write' on \"k\"", kFailed, ErrorCode::kDenied}));

TEST(OutcomeTest, WhatIsNotUnderstoodMayHaveLanded) {
  for (const http::Response& response :
       {http::Response{.status = 200, .body = "<html>"}, http::Response{.status = 200, .body = "{}"},
        http::Response{.status = 200, .body = R"({"Results":[]})"},
        http::Response{.status = 200, .body = R"({"Results":[{"KV":{"ModifyIndex":0}}]})"},
        http::Response{.status = 200, .body = R"({"Results":[{"KV":{"ModifyIndex":-1}}]})"},
        http::Response{.status = 200, .body = R"({"Results":[{"KV":{"ModifyIndex":1.5}}]})"},
        http::Response{.status = 200, .body = R"({"Results":[{"KV":{"ModifyIndex":1e300}}]})"},
        http::Response{.status = 200, .body = R"({"Results":[{"KV":{"ModifyIndex":true}}]})"},
        http::Response{.status = 409, .body = "conflict"}, http::Response{.status = 409, .body = R"({"Errors":null})"},
        http::Response{.status = 500, .body = "No cluster leader"},
        http::Response{.status = 500, .body = "rpc error making call: EOF"},
        http::Response{.status = 404, .body = "not here"}, http::Response{.status = 301}}) {
    const auto outcome = ParseOutcome(response);
    EXPECT_EQ(outcome.kind, Outcome::Kind::kFailed);
    EXPECT_TRUE(MayHaveLanded(outcome.error.code)) << response.status << response.body;
  }
}

TEST(RefusalTest, EachStatusHasItsCodeAndTheServersWords) {
  const struct {
    int status;
    ErrorCode code;
  } kTable[] = {{400, ErrorCode::kInvalid}, {401, ErrorCode::kDenied},    {403, ErrorCode::kDenied},
                {413, ErrorCode::kInvalid}, {429, ErrorCode::kThrottled}, {302, ErrorCode::kUnknown},
                {404, ErrorCode::kUnknown}, {500, ErrorCode::kUnknown},   {503, ErrorCode::kUnknown}};
  for (const auto& row : kTable) {
    const Error error = Refusal("read the key", {.status = row.status, .body = "because\n"});
    EXPECT_EQ(error.code, row.code) << row.status;
    EXPECT_THAT(error.message, HasSubstr("read the key (" + std::to_string(row.status) + "): because"));
  }
}

TEST(RefusalTest, TheServersWishToBeLeftAloneIsPassedOn) {
  const Error error = Refusal("read the key", {.status = 429, .headers = {{"Retry-After", "3"}}});
  EXPECT_EQ(error.retry_after, std::chrono::seconds(3));
}

TEST(RefusalTest, AServersWordsAreShortenedAndInOneLine) {
  const std::string quoted = Quoted("a\nb\x1b[31m" + std::string(5000, 'x'));
  EXPECT_LT(quoted.size(), 400U);
  EXPECT_EQ(quoted.find_first_of("\n\x1b"), std::string::npos);
}

}  // namespace
}  // namespace leaderelection::consul

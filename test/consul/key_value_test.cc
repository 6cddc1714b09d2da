#include "consul/key_value.h"

#include <gmock/gmock.h>

#include "consul/read_key.h"

namespace leaderelection::consul {
namespace {

Record HeldBy(const std::string& holder) {
  return {.holder_identity = holder,
          .lease_duration = std::chrono::seconds(15),
          .acquire_time = WallTime(std::chrono::hours(1)),
          .renew_time = WallTime(std::chrono::hours(2)),
          .transitions = 3,
          .metadata = {{"zone", "x"}}};
}

bool IsOwn(const std::string& session) { return session == "own"; }

std::string ValueOf(const Record& record, const std::string& session) { return RecordToValue(record, session).value(); }

struct Case {
  const char* name;
  std::string value;
  std::uint64_t flags;
  std::string session;
  Finding::Kind expected;
};

class JudgeTest : public ::testing::TestWithParam<Case> {};

TEST_P(JudgeTest, WhatIsInAKey) {
  const Case& given = GetParam();
  const auto finding =
      Judge({.value = given.value, .flags = given.flags, .modify_index = 7, .session = given.session}, IsOwn);
  EXPECT_EQ(finding.kind, given.expected) << given.name << ": " << finding.why;
  EXPECT_EQ(finding.stored.version.order, 7U);
  EXPECT_EQ(SessionOf(finding.stored.version), given.session);
}

using enum Finding::Kind;
INSTANTIATE_TEST_SUITE_P(
    Keys, JudgeTest,
    ::testing::Values(Case{"a held record", ValueOf(HeldBy("a"), "s"), kLockFlag, "s", kRecord},
                      Case{"our own held record", ValueOf(HeldBy("a"), "own"), kLockFlag, "own", kRecord},
                      Case{"a released record", ValueOf(HeldBy(""), ""), kLockFlag, "", kRecord},
                      Case{"another's record that lost its session", ValueOf(HeldBy("a"), "s"), kLockFlag, "", kRecord},
                      Case{"our own record that lost its session", ValueOf(HeldBy("a"), "own"), kLockFlag, "", kVacant},
                      Case{"a record in a stranger's hands", ValueOf(HeldBy("a"), "s"), kLockFlag, "t", kForeign},
                      Case{"our record in a stranger's hands", ValueOf(HeldBy("a"), "own"), kLockFlag, "t", kForeign},
                      Case{"a released record in a stranger's hands", ValueOf(HeldBy(""), ""), kLockFlag, "t",
                           kForeign},
                      Case{"a stranger's lock", "x", kLockFlag, "t", kForeign},
                      Case{"a stranger's empty lock", "", kLockFlag, "t", kForeign},
                      Case{"a lock that a stranger left", "x", kLockFlag, "", kVacant},
                      Case{"an empty key", "", 0, "", kVacant}, Case{"a foreign value", "x", 0, "", kForeign},
                      Case{"a record of another format", R"({"format":"leaderelection/v9"})", 0, "", kForeign}));

TEST(KeyValueTest, ARecordSurvivesWithAndWithoutASession) {
  for (const std::string session : {"", "own"}) {
    const auto finding = Judge({.value = ValueOf(HeldBy("a"), session), .modify_index = 1, .session = session},
                               [](auto&) { return false; });
    ASSERT_EQ(finding.kind, kRecord) << finding.why;
    EXPECT_EQ(finding.stored.record, HeldBy("a"));
  }
}

TEST(KeyValueTest, AValueThatIsTooLargeIsNotWritten) {
  Record record = HeldBy("a");
  record.metadata["large"] = std::string(64 * 1024 - 300, 'x');
  EXPECT_FALSE(RecordToValue(record, std::string(200, 's')).ok());
}

TEST(KeyValueTest, AnAnswerIsReadAsConsulWritesIt) {
  const auto key = ParseKeyValue(R"([{"LockIndex":1,"Key":"k","Flags":3304740253564472344,"Value":"eA==",
      "CreateIndex":5,"ModifyIndex":9,"Session":"s"}])");
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->value, "x");
  EXPECT_EQ(key->flags, kLockFlag);
  EXPECT_EQ(key->modify_index, 9U);
  EXPECT_EQ(key->session, "s");
  EXPECT_EQ(ParseKeyValue(R"([{"Key":"k","Flags":0,"Value":null,"ModifyIndex":9}])")->value, "");
}

TEST(KeyValueTest, WhatIsNoAnswerOfConsulIsNoNewsOfTheKey) {
  for (const char* body :
       {"", "<html>", "[]", "{}", "null", "[1]", R"([{"Flags":0,"Value":"eA==","ModifyIndex":0}])",
        R"([{"Flags":0,"Value":"?","ModifyIndex":1}])", R"([{"Flags":-1.5,"Value":7,"ModifyIndex":"x"}])"}) {
    const auto key = ParseKeyValue(body);
    ASSERT_FALSE(key.ok()) << body;
    EXPECT_EQ(key.error().code, ErrorCode::kUnknown) << body;
  }
}

TEST(ReadKeyTest, AbsenceNeedsAnIndex) {
  const auto absent = ParseKeyRead(http::Response{.status = 404, .headers = {{"X-Consul-Index", "12"}}});
  ASSERT_TRUE(absent.ok());
  EXPECT_FALSE(absent->key);
  EXPECT_EQ(absent->index, 12U);
  for (const http::Headers& headers : {http::Headers{}, http::Headers{{"X-Consul-Index", "twelve"}}}) {
    const auto read = ParseKeyRead(http::Response{.status = 404, .headers = headers, .body = "<html>"});
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::kUnknown);
  }
}

TEST(KeyValueTest, ANumberIsAWholeOneAndNothingElseIsMadeOne) {
  for (const char* number : {"-1", "1.5", "1e300", "true", "\"7\"", "null", "18446744073709551616"}) {
    for (const bool is_index : {true, false}) {
      const std::string body = R"([{"Value":null,"Flags":)" + std::string(is_index ? "0" : number) +
                               R"(,"ModifyIndex":)" + (is_index ? number : "7") + "}]";
      EXPECT_FALSE(ParseKeyValue(body).ok()) << body;
    }
  }
  EXPECT_TRUE(ParseKeyValue(R"([{"Value":null,"Flags":0,"ModifyIndex":18446744073709551615}])").ok());
}

TEST(KeyValueTest, ASessionsNameIsQuotedAsAnyOtherWordOfTheServer) {
  for (const std::string& value : {std::string("x"), ValueOf(HeldBy("a"), "s")}) {
    const auto finding = Judge({.value = value, .modify_index = 7, .session = "t\n" + std::string(5000, 'x')}, IsOwn);
    EXPECT_EQ(finding.kind, kForeign);
    EXPECT_EQ(finding.why.find('\n'), std::string::npos);
    EXPECT_LT(finding.why.size(), 500U);
  }
}

}  // namespace
}  // namespace leaderelection::consul

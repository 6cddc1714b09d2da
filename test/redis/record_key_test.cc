#include "redis/record_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "json/record_json.h"
#include "redis/refusal.h"

namespace leaderelection::redis {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

Record HeldBy(const std::string& holder) {
  return {.holder_identity = holder, .lease_duration = 15s, .acquire_time = WallTime(1s), .renew_time = WallTime(2s)};
}

Reply ErrorReply(const std::string& text) { return {.kind = Reply::Kind::kError, .text = text}; }

Reply TextReply(const std::string& text) { return {.kind = Reply::Kind::kText, .text = text}; }

Reply ArrayReply(std::vector<Reply> elements) { return {.kind = Reply::Kind::kArray, .elements = std::move(elements)}; }

TEST(RecordKey, TheRecordGoesInTwoPiecesWithAGapForItsNumber) {
  const auto call = RecordKey("k").CreateCall(HeldBy("9007199254740991"));
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->key, "k");
  const auto& arguments = call->arguments;
  ASSERT_EQ(arguments.size(), 4u);
  const auto read = RecordFromJson(arguments[1] + "42" + arguments[2]);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->version.order, 42u);
  EXPECT_EQ(read->record, HeldBy("9007199254740991"));
  EXPECT_EQ(arguments[3], "15000");
}

TEST(RecordKey, ANumberIsAboveAllThatWereSeen) {
  RecordKey key("k");
  const std::string text = *RecordToJson(HeldBy("a"), 1000);
  const auto seen = key.ReadRecord(text);
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(key.CreateCall(HeldBy("b"))->arguments[0], "1002");
  EXPECT_EQ(key.UpdateCall(HeldBy("b"), seen->version)->arguments[0], "1001");
  EXPECT_EQ(key.UpdateCall(HeldBy("b"), Version{.order = 5000})->arguments[0], "5001");
}

TEST(RecordKey, AnUpdateExpectsTheWholeRecordItWasReadFrom) {
  RecordKey key("k");
  const std::string text = *RecordToJson(HeldBy("a"), 1000);
  const auto seen = key.ReadRecord(text);
  EXPECT_EQ(key.UpdateCall(HeldBy("b"), seen->version)->arguments[4], text);
  EXPECT_EQ(key.UpdateCall(HeldBy("b"), Version{.order = 1000})->arguments[4], "") << "fits nothing";
}

TEST(RecordKey, AReleasedRecordLastsADay) {
  EXPECT_EQ(RecordKey("k").CreateCall(HeldBy(""))->arguments[3], "86400000");
}

TEST(RecordKey, WhatCannotExpireOrBeNumberedIsRefusedWithoutAsking) {
  RecordKey key("k");
  Record endless = HeldBy("a");
  endless.lease_duration = 0ms;
  EXPECT_EQ(key.CreateCall(endless).error().code, ErrorCode::kInvalid);
  ASSERT_TRUE(key.ReadRecord(*RecordToJson(HeldBy("a"), kLargestJsonInteger)).ok());
  EXPECT_EQ(key.CreateCall(HeldBy("a")).error().code, ErrorCode::kCorrupt);
}

TEST(RecordKey, AnAnswerThatNoScriptGivesIsUnknown) {
  RecordKey key("k");
  for (const Reply& reply : {TextReply("stored"), ArrayReply({}), ArrayReply({TextReply("stored")}), Reply{},
                             ArrayReply({TextReply("else"), TextReply(*RecordToJson(HeldBy("a"), 7))})}) {
    EXPECT_EQ(key.ReadWritten(reply).error().code, ErrorCode::kUnknown);
  }
  EXPECT_EQ(key.ReadGot(TextReply("x")).error().code, ErrorCode::kUnknown);
}

TEST(Refusal, IsDefiniteOnlyWhereNothingWasRun) {
  const std::vector<std::pair<std::string, ErrorCode>> expected{
      {"NOAUTH Authentication required.", ErrorCode::kDenied},
      {"WRONGPASS invalid username-password pair", ErrorCode::kDenied},
      {"NOPERM this user has no permissions to run the 'set' command", ErrorCode::kDenied},
      {"WRONGTYPE Operation against a key holding the wrong kind of value", ErrorCode::kCorrupt},
      {"OOM command not allowed when used memory > 'maxmemory'.", ErrorCode::kThrottled},
      {"READONLY You can't write against a read only replica.", ErrorCode::kThrottled},
      {"LOADING Redis is loading the dataset in memory", ErrorCode::kThrottled},
      {"CLUSTERDOWN The cluster is down", ErrorCode::kThrottled},
      {"BUSY Redis is busy running a script.", ErrorCode::kThrottled},
      {"NOREPLICAS Not enough good replicas to write.", ErrorCode::kThrottled},
      {"ERR unknown command 'EVALSHA', with args beginning with: 'x'", ErrorCode::kInvalid},
      {"ERR user_script:9: attempt to index a nil value", ErrorCode::kUnknown},
      {"SOMETHING new", ErrorCode::kUnknown},
  };
  for (const auto& [text, code] : expected) EXPECT_EQ(Refusal(ErrorReply(text), "server").code, code) << text;
}

TEST(Refusal, QuotesNothingOfWhatWasSent) {
  EXPECT_THAT(Refusal(ErrorReply("ERR unknown command 'AUTH', with args beginning with: 'canary'"), "s").message,
              Not(HasSubstr("canary")));
  EXPECT_THAT(LoginRefusal(ErrorReply("ERR unknown command 'AUTH', with args: 'canary'"), "s").message,
              Not(HasSubstr("canary")));
  EXPECT_THAT(LoginRefusal(ErrorReply("WRONGPASS invalid"), "s").message, HasSubstr("wrong user name or password"));
}

}  // namespace
}  // namespace leaderelection::redis

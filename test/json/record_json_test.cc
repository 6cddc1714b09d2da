#include "json/record_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr WallTime kNoon = std::chrono::sys_days(std::chrono::year(2025) / 11 / 18) + 12h;

Record Sample() {
  return {.holder_identity = "a",
          .lease_duration = 15s,
          .acquire_time = kNoon,
          .renew_time = kNoon + 1us,
          .transitions = 3,
          .metadata = {{"zone", "x"}}};
}

constexpr std::string_view kSample =
    R"({"format":"leaderelection/v1","fencingNumber":42,"holderIdentity":"a","leaseDurationMilliseconds":15000,)"
    R"("acquireTime":"2025-11-18T12:00:00.000000Z","renewTime":"2025-11-18T12:00:00.000001Z","leaseTransitions":3,)"
    R"("metadata":{"zone":"x"}})";

// The sample with one piece of it replaced.
std::string With(std::string_view piece, std::string_view replacement) {
  std::string text(kSample);
  const auto position = text.find(piece);
  EXPECT_NE(position, std::string::npos) << piece;
  return text.replace(position, piece.size(), replacement);
}

TEST(RecordJson, IsWrittenWithALeasesNames) { EXPECT_EQ(*RecordToJson(Sample(), 42), kSample); }

TEST(RecordJson, IsReadBackAsItWasWritten) {
  const auto stored = RecordFromJson(kSample);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->record, Sample());
  EXPECT_EQ(stored->version.order, 42U);
}

TEST(RecordJson, TheEmptyRecordGoesThereAndBack) {
  const auto stored = RecordFromJson(*RecordToJson(Record{}, 1));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->record, Record{});
}

TEST(RecordJson, StringsOfAnyContentGoThereAndBack) {
  Record record = Sample();
  record.holder_identity = std::string("\0\n\"\\\u00e9\U0001f600", 10);
  record.metadata = {{"", ""}, {"format", "other"}, {"a\"b", "{}"}};
  EXPECT_EQ(RecordFromJson(*RecordToJson(record, 1))->record, record);
}

TEST(RecordJson, TheLimitsThemselvesGoThereAndBack) {
  Record record = Sample();
  record.lease_duration = kLongestLeaseDuration;
  record.transitions = static_cast<std::int64_t>(kLargestJsonInteger);
  const auto stored = RecordFromJson(*RecordToJson(record, kLargestJsonInteger));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->record, record);
  EXPECT_EQ(stored->version.order, kLargestJsonInteger);
}

TEST(RecordJson, UnknownFieldsArePassedOver) {
  const auto stored = RecordFromJson(With(R"("format")", R"("note":{"by":["someone",1,null]},"format")"));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->record, Sample());
}

TEST(RecordJson, SpaceAroundItIsPassedOver) { EXPECT_TRUE(RecordFromJson(" " + std::string(kSample) + "\n").ok()); }

TEST(RecordJson, MetadataMayBeMissing) {
  EXPECT_TRUE(RecordFromJson(With(R"(,"metadata":{"zone":"x"})", ""))->record.metadata.empty());
}

struct Spoiled {
  std::string text;
  const char* complaint;
};

void ExpectCorrupt(const Spoiled& row) {
  const auto stored = RecordFromJson(row.text);
  ASSERT_FALSE(stored.ok()) << row.complaint;
  EXPECT_EQ(stored.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(stored.error().message, HasSubstr(row.complaint));
  EXPECT_LT(stored.error().message.size(), 150U);
}

TEST(RecordJson, WhatIsNoRecordIsCorruptAndTheErrorSaysWhy) {
  const Spoiled table[] = {
      {"", "empty"},
      {" \n", "no JSON at byte"},
      {"\xff\xfe", "no JSON at byte 1"},
      {"<html>", "no JSON at byte 1"},
      {std::string(kSample.substr(0, 100)), "no JSON at byte 101"},
      {std::string(kSample) + "x", "no JSON at byte"},
      {std::string(kSample) + std::string(kSample), "no JSON at byte"},
      {"7", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"null", "not a JSON object"},
      {"{}", "format is missing"},
      {R"({"kind":"Lease"})", "format is missing"},
      {With("leaderelection/v1", "leaderelection/v2"), R"("leaderelection/v2")"},
      {With(R"("leaderelection/v1")", "1"), "format is not a string"},
      {"1e999999", "no JSON"},
      {"[" + std::string(60000, '['), "nested deeper than 8"},
      {With(R"({"zone":"x"})", std::string(20, '[') + std::string(20, ']')), "nested deeper than 8"},
      {std::string(kLargestRecordJson + 1, ' '), "larger than 65536 bytes"},
  };
  for (const Spoiled& row : table) ExpectCorrupt(row);
}

TEST(RecordJson, AWrongFieldIsCorruptAndTheErrorNamesIt) {
  const Spoiled table[] = {
      {With(R"("fencingNumber":42,)", ""), "fencingNumber is missing"},
      {With(":42,", ":0,"), "fencingNumber is zero"},
      {With(":42,", ":-1,"), "fencingNumber is negative"},
      {With(":42,", ":1.5,"), "fencingNumber is not a whole number"},
      {With(":42,", R"(:"42",)"), "fencingNumber is not a whole number"},
      {With(":42,", ":9007199254740992,"), "fencingNumber is larger than 9007199254740991"},
      {With(":42,", ":99999999999999999999,"), "fencingNumber is not a whole number"},
      {With(R"("holderIdentity":"a",)", ""), "holderIdentity is missing"},
      {With(R"(:"a")", ":null"), "holderIdentity is not a string"},
      {With(R"(:"a")", ":\"\xff\""), "no JSON at byte"},
      {With(":15000", ":-1"), "leaseDurationMilliseconds is negative"},
      {With(":15000", ":15000.0"), "leaseDurationMilliseconds is not a whole number"},
      {With(":15000", ":31536000001"), "leaseDurationMilliseconds is larger than 31536000000"},
      {With(R"("acquireTime":)", R"("AcquireTime":)"), "acquireTime is missing"},
      {With(R"("2025-11-18T12:00:00.000000Z")", "5"), "acquireTime is not a string"},
      {With("00.000001Z", "60.000001Z"), "renewTime is no RFC 3339 time"},
      {With(":3,", ":-3,"), "leaseTransitions is negative"},
      {With(":3,", ":9007199254740992,"), "leaseTransitions is larger than"},
      {With(R"({"zone":"x"})", "[]"), "metadata is not an object"},
      {With(R"("x")", "{}"), R"(metadata "zone" is not a string)"},
  };
  for (const Spoiled& row : table) ExpectCorrupt(row);
}

TEST(RecordJson, AMessageQuotesLittleAndEscapesIt) {
  const auto stored = RecordFromJson(With("leaderelection/v1", "\\u001b[31m" + std::string(500, 'x')));
  EXPECT_THAT(stored.error().message, AllOf(HasSubstr("\\u001b[31mxxx"), HasSubstr("..."), Not(HasSubstr("\x1b"))));
  EXPECT_LT(stored.error().message.size(), 150U);
}

TEST(RecordJson, AQuoteCutInsideACharacterIsStillText) {
  const auto stored = RecordFromJson(With("leaderelection/v1", std::string(31, 'x') + "\u00e9"));
  EXPECT_THAT(stored.error().message, HasSubstr("\\ufffd"));
}

struct Unstorable {
  const char* complaint;
  Record record;
  std::uint64_t order = 1;
};

TEST(RecordJson, WhatCouldNotBeReadAgainIsNotWritten) {
  const Unstorable table[] = {
      {"fencingNumber", {}, 0},
      {"fencingNumber", {}, kLargestJsonInteger + 1},
      {"not UTF-8", {.holder_identity = "\xff"}},
      {"not UTF-8", {.metadata = {{"\xc3", ""}}}},
      {"larger than 65535 bytes", {.holder_identity = std::string(1 << 20, 'x')}},
      {"leaseDurationMilliseconds is negative", {.lease_duration = -1ms}},
      {"leaseDurationMilliseconds is larger", {.lease_duration = kLongestLeaseDuration + 1ms}},
      {"leaseTransitions is negative", {.transitions = -1}},
      {"leaseTransitions is larger", {.transitions = 9007199254740992}},
      {"acquireTime", {.acquire_time = WallTime::max()}},
      {"renewTime", {.renew_time = WallTime::min()}},
  };
  for (const Unstorable& row : table) {
    const auto text = RecordToJson(row.record, row.order);
    ASSERT_FALSE(text.ok()) << row.complaint;
    EXPECT_EQ(text.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(text.error().message, HasSubstr(row.complaint));
  }
}

}  // namespace
}  // namespace leaderelection

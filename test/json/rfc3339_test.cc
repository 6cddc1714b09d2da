#include "json/rfc3339.h"

#include <gtest/gtest.h>

#include <chrono>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

constexpr WallTime kNoon = sys_days(std::chrono::year(2025) / 11 / 18) + 12h;

struct Reading {
  const char* text;
  WallTime time;
};

TEST(Rfc3339, ATimeIsReadAsItsInstant) {
  const Reading table[] = {
      {"2025-11-18T12:00:00Z", kNoon},
      {"2025-11-18T12:00:00.5Z", kNoon + 500ms},
      {"2025-11-18T12:00:00.123Z", kNoon + 123ms},
      {"2025-11-18T12:00:00.123456Z", kNoon + 123456us},
      {"2025-11-18T12:00:00.123456789Z", kNoon + 123456us},
      {"2025-11-18T12:00:00.000000999Z", kNoon},
      {"2025-11-18T13:30:00+01:30", kNoon},
      {"2025-11-17T23:00:00.000001-13:00", kNoon + 1us},
      {"2025-11-18T12:00:00-00:00", kNoon},
      {"2024-02-29T00:00:00Z", sys_days(std::chrono::year(2024) / 2 / 29)},
      {"1969-12-31T23:59:59.999999Z", WallTime(-1us)},
      {"0001-01-01T00:00:00Z", sys_days(std::chrono::year(1) / 1 / 1)},
      {"9999-12-31T23:59:59.999999Z", sys_days(std::chrono::year(10000) / 1 / 1) - 1us},
  };
  for (const Reading& row : table) EXPECT_EQ(ParseRfc3339(row.text), row.time) << row.text;
}

TEST(Rfc3339, WhatIsNoTimeIsRejected) {
  const char* const table[] = {
      "",
      "now",
      "2025-11-18",
      "2025-11-18T12:00:00",
      "2025-11-18 12:00:00Z",
      "2025-11-18t12:00:00Z",
      "2025-11-18T12:00:00z",
      "2025-11-18T12:00Z",
      "2025-11-18T12:00:00.Z",
      "2025-11-18T12:00:00,5Z",
      "2025-11-18T12:00:00.1234567890Z",
      "2025-11-18T12:00:00Z ",
      " 2025-11-18T12:00:00Z",
      "2025-11-18T24:00:00Z",
      "2025-11-18T12:60:00Z",
      "2025-11-18T12:00:60Z",
      "2025-13-18T12:00:00Z",
      "2025-00-18T12:00:00Z",
      "2025-11-31T12:00:00Z",
      "2025-11-00T12:00:00Z",
      "2025-02-29T12:00:00Z",
      "0000-01-01T00:00:00Z",
      "10000-01-01T00:00:00Z",
      "-001-01-01T00:00:00Z",
      "+025-11-18T12:00:00Z",
      "2025-1 -18T12:00:00Z",
      "2025-11-18T12:00:00+24:00",
      "2025-11-18T12:00:00+01:60",
      "2025-11-18T12:00:00+0100",
      "2025-11-18T12:00:00+01",
      "0001-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
  };
  for (const char* text : table) EXPECT_EQ(ParseRfc3339(text), std::nullopt) << text;
}

TEST(Rfc3339, AnEmbeddedNulIsRejected) {
  EXPECT_EQ(ParseRfc3339(std::string_view("2025-11-18T12:00:00Z\0", 21)), std::nullopt);
}

TEST(Rfc3339, SixDigitsAreWrittenWhateverTheyAre) {
  EXPECT_EQ(FormatRfc3339(kNoon), "2025-11-18T12:00:00.000000Z");
  EXPECT_EQ(FormatRfc3339(kNoon + 1us), "2025-11-18T12:00:00.000001Z");
  EXPECT_EQ(FormatRfc3339(WallTime(-1us)), "1969-12-31T23:59:59.999999Z");
}

TEST(Rfc3339, YearsOfOtherThanFourDigitsAreNotWritten) {
  EXPECT_EQ(FormatRfc3339(sys_days(std::chrono::year(1) / 1 / 1)), "0001-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatRfc3339(sys_days(std::chrono::year(1) / 1 / 1) - 1us), std::nullopt);
  EXPECT_EQ(FormatRfc3339(sys_days(std::chrono::year(10000) / 1 / 1) - 1us), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatRfc3339(sys_days(std::chrono::year(10000) / 1 / 1)), std::nullopt);
  EXPECT_EQ(FormatRfc3339(WallTime::max()), std::nullopt);
  EXPECT_EQ(FormatRfc3339(WallTime::min()), std::nullopt);
}

TEST(Rfc3339, WhatIsWrittenIsReadAgain) {
  for (WallTime time = WallTime(-1900h * 24 * 365); time < WallTime(2000h * 24 * 365); time += 12345h + 6789us) {
    const auto text = FormatRfc3339(time);
    ASSERT_TRUE(text.has_value());
    ASSERT_EQ(ParseRfc3339(*text), time) << *text;
  }
}

}  // namespace
}  // namespace leaderelection

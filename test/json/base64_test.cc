#include "json/base64.h"

#include <gtest/gtest.h>

namespace leaderelection {
namespace {

TEST(Base64, IsWrittenAsTheStandardSays) {
  const struct {
    const char* bytes;
    const char* text;
  } table[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xfb\xff\xbe", "+/++"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(EncodeBase64(row.bytes), row.text);
    EXPECT_EQ(DecodeBase64(row.text), row.bytes);
  }
}

TEST(Base64, EveryLengthAndEveryByteGoBothWays) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes) << i;
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, WhatIsNotBase64IsRefused) {
  const char* const table[] = {
      "A",        "AA",    "AAA",      "=",    "==",   "====", "A===", "AA=",   "A=AA",  "AA=A", "=AAA",
      "AAAA====", "AAAA=", "AA==AA==", "AA*A", "AA-_", " AAA", "AAA ", "AA\nA", "AAA\n", "AA A",
      "AAAA----",                                       // OpenSSL ends there, and calls it a success
      "AA==----", "AAA-",  "----",     "Zh==", "Zm9=",  // bits that no byte holds
  };
  for (const char* text : table) EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace leaderelection

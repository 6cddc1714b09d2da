#include "redis/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace leaderelection::redis {
namespace {

using ::testing::HasSubstr;

std::vector<Reply> ReadAll(const std::string& bytes, std::size_t piece) {
  ReplyReader reader;
  std::vector<Reply> replies;
  for (std::size_t i = 0; i < bytes.size(); i += piece) {
    const Status read = reader.Feed(std::string_view(bytes).substr(i, piece), replies);
    EXPECT_TRUE(read.ok()) << read.error().message;
  }
  return replies;
}

std::string Failure(const std::string& bytes) {
  ReplyReader reader;
  std::vector<Reply> replies;
  for (std::size_t i = 0; i < bytes.size(); i += 65536) {
    const Status read = reader.Feed(std::string_view(bytes).substr(i, 65536), replies);
    if (!read) return read.error().message;
  }
  return "";
}

TEST(ReplyReader, ReadsEveryKindOfReplyHoweverItIsCutInPieces) {
  const std::string bytes =
      "+OK\r\n-WRONGPASS no\r\n:-7\r\n$5\r\nhe\r\no\r\n$-1\r\n*3\r\n$1\r\na\r\n*2\r\n:1\r\n:2\r\n$0\r\n\r\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    SCOPED_TRACE(piece);
    const auto replies = ReadAll(bytes, piece);
    ASSERT_EQ(replies.size(), 6u);
    EXPECT_EQ(replies[0].kind, Reply::Kind::kStatus);
    EXPECT_EQ(replies[0].text, "OK");
    EXPECT_EQ(replies[1].ErrorWord(), "WRONGPASS");
    EXPECT_EQ(replies[2].integer, -7);
    EXPECT_EQ(replies[3].text, "he\r\no");
    EXPECT_EQ(replies[4].kind, Reply::Kind::kNil);
    ASSERT_EQ(replies[5].elements.size(), 3u);
    EXPECT_EQ(replies[5].elements[0].text, "a");
    ASSERT_EQ(replies[5].elements[1].elements.size(), 2u);
    EXPECT_EQ(replies[5].elements[1].elements[1].integer, 2);
    EXPECT_EQ(replies[5].elements[2].kind, Reply::Kind::kText);
  }
}

TEST(ReplyReader, AnAnnouncedArrayOfBillionsTakesNoMemory) {
  EXPECT_THAT(Failure("*2147483647\r\n"), HasSubstr("too large"));
  EXPECT_THAT(Failure("*1025\r\n"), HasSubstr("too large"));
  EXPECT_EQ(Failure("*1024\r\n"), "");
}

TEST(ReplyReader, AnEndlessTextIsGivenUp) {
  EXPECT_THAT(Failure("$536870912\r\n" + std::string(kLargestReply + 70000, 'x')), HasSubstr("too large"));
}

TEST(ReplyReader, ManyTextsThatAreTooLargeTogetherAreGivenUp) {
  std::string bytes = "*1000\r\n";
  for (int i = 0; i < 1000; ++i) bytes += "$2000\r\n" + std::string(2000, 'x') + "\r\n";
  EXPECT_THAT(Failure(bytes), HasSubstr("too large"));
}

TEST(ReplyReader, ManyRepliesOneAfterTheOtherAreNotOneLargeReply) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += "$2000\r\n" + std::string(2000, 'x') + "\r\n";
  EXPECT_EQ(Failure(bytes), "");
}

TEST(ReplyReader, DeepNestingIsGivenUp) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += "*1\r\n";
  EXPECT_THAT(Failure(bytes), HasSubstr("not Redis's protocol"));
}

TEST(ReplyReader, SaysWhatAnotherProtocolIs) {
  EXPECT_THAT(Failure("\x15\x03\x01\x00\x02\x02\x0a"), HasSubstr("speaks TLS on this port"));
  EXPECT_THAT(Failure("HTTP/1.1 400 Bad Request\r\n\r\n"), HasSubstr("not Redis's protocol"));
}

}  // namespace
}  // namespace leaderelection::redis

#include "kubernetes/watch_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace leaderelection {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WatchFramesTest : public ::testing::Test {
 protected:
  Status Feed(std::string_view piece) {
    return frames_.Feed(piece, [this](std::string_view line) {
      lines_.emplace_back(line);
      return true;
    });
  }

  WatchFrames frames_{16};
  std::vector<std::string> lines_;
};

TEST_F(WatchFramesTest, ALineIsGivenOnceItHasItsEnd) {
  EXPECT_TRUE(Feed("{\"a\":"));
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_TRUE(Feed("1}\n"));
  EXPECT_THAT(lines_, ElementsAre("{\"a\":1}"));
}

TEST_F(WatchFramesTest, OnePieceMayHoldSeveralLinesAndTheBeginningOfAnother) {
  EXPECT_TRUE(Feed("one\ntwo\nthr"));
  EXPECT_TRUE(Feed("ee\n"));
  EXPECT_THAT(lines_, ElementsAre("one", "two", "three"));
}

TEST_F(WatchFramesTest, WhereThePiecesAreCutMakesNoDifference) {
  const std::string text = "one\ntwo\r\n\nthree\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    WatchFrames frames(16);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += size) {
      ASSERT_TRUE(frames.Feed(std::string_view(text).substr(at, size), [&](std::string_view line) {
        lines.emplace_back(line);
        return true;
      }));
    }
    EXPECT_THAT(lines, ElementsAre("one", "two", "three")) << "pieces of " << size;
  }
}

TEST_F(WatchFramesTest, EmptyLinesArePassedOver) {
  EXPECT_TRUE(Feed("\n\r\none\n\n"));
  EXPECT_THAT(lines_, ElementsAre("one"));
}

TEST_F(WatchFramesTest, ALineOfTheLargestSizeIsTakenAndALongerOneIsNot) {
  EXPECT_TRUE(Feed(std::string(16, 'a') + "\n"));
  EXPECT_THAT(lines_, ElementsAre(std::string(16, 'a')));
  const Status longer = Feed(std::string(17, 'b') + "\n");
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::kUnknown);
  EXPECT_THAT(longer.error().message, HasSubstr("larger than 16 bytes"));
}

TEST_F(WatchFramesTest, ALineWithoutAnEndIsRefusedBeforeItIsWhole) {
  EXPECT_TRUE(Feed(std::string(10, 'a')));
  EXPECT_FALSE(Feed(std::string(10, 'a')));
}

TEST_F(WatchFramesTest, NothingFollowsWhereTheReaderHasEnough) {
  std::vector<std::string> lines;
  EXPECT_TRUE(frames_.Feed("one\ntwo\n", [&](std::string_view line) {
    lines.emplace_back(line);
    return false;
  }));
  EXPECT_THAT(lines, ElementsAre("one"));
}

}  // namespace
}  // namespace leaderelection

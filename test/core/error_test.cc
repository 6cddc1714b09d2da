#include "leaderelection/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>

namespace leaderelection {
namespace {

constexpr ErrorCode kRefusals[] = {ErrorCode::kNotFound, ErrorCode::kAlreadyExists, ErrorCode::kConflict,
                                   ErrorCode::kDenied,   ErrorCode::kInvalid,       ErrorCode::kThrottled,
                                   ErrorCode::kCorrupt,  ErrorCode::kHeld};
constexpr ErrorCode kDoubts[] = {ErrorCode::kTimeout, ErrorCode::kUnknown};

TEST(Error, OnlyARefusalOfTheBackendIsADefiniteNo) {
  for (ErrorCode code : kRefusals) EXPECT_FALSE(MayHaveLanded(code)) << ToString(code);
  for (ErrorCode code : kDoubts) EXPECT_TRUE(MayHaveLanded(code)) << ToString(code);
}

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (ErrorCode code : kRefusals) names.insert(ToString(code));
  for (ErrorCode code : kDoubts) names.insert(ToString(code));
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("not-found", "already-exists", "conflict", "denied", "invalid",
                                                     "throttled", "corrupt", "held", "timeout", "unknown"));
}

TEST(Result, HoldsAValue) {
  const Result<std::string> result(std::string("value"));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(*result, "value");
  EXPECT_EQ(result->size(), 5u);
}

TEST(Result, HoldsAnError) {
  const Result<std::string> result(ErrorCode::kConflict, "why");
  EXPECT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kConflict);
  EXPECT_EQ(result.error().message, "why");
}

TEST(Result, ReadingTheSideThatIsNotThereThrows) {
  EXPECT_THROW((void)Result<int>(1).error(), std::bad_variant_access);
  EXPECT_THROW((void)Result<int>(Error{}).value(), std::bad_variant_access);
}

}  // namespace
}  // namespace leaderelection

// The operator's rule, without a server.

#include "fence.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api_error.h"

namespace example_operator {
namespace {

ConfigMap With(const std::string& checksum, const std::string& number) {
  ConfigMap map{.name = "x", .version = "1", .data = {{"a", "b"}}};
  if (!checksum.empty()) map.annotations[kChecksumKey] = checksum;
  if (!number.empty()) map.annotations[kNumberKey] = number;
  return map;
}

TEST(Fence, JudgesByTheNumberFirstAndTheStatusThen) {
  const struct {
    const char* what;
    ConfigMap found;
    Verdict verdict;
  } cases[] = {
      {"nothing is there", With("", ""), Verdict::kWrite},
      {"a status without a number", With("right", ""), Verdict::kWrite},
      {"this term wrote it", With("right", "7"), Verdict::kUpToDate},
      {"this term wrote it, and the contents changed", With("wrong", "7"), Verdict::kWrite},
      {"an earlier term wrote the same: ours bars its late writes", With("right", "6"), Verdict::kWrite},
      {"numbers are compared as numbers", With("right", "10"), Verdict::kNewerLeader},
      {"a later term wrote it", With("right", "8"), Verdict::kNewerLeader},
      {"a later term wrote it, and the contents changed", With("wrong", "8"), Verdict::kNewerLeader},
      {"the largest number", With("right", "18446744073709551615"), Verdict::kNewerLeader},
      {"a number too large to be one", With("right", "18446744073709551616"), Verdict::kUnreadable},
      {"no number", With("right", "7a"), Verdict::kUnreadable},
      {"a negative one", With("right", "-1"), Verdict::kUnreadable},
  };
  for (const auto& test : cases) EXPECT_EQ(Judge(test.found, "right", 7), test.verdict) << test.what;
}

TEST(Checksum, IsThatOfTheContentsAndOfNoOther) {
  const ConfigMap map{.name = "x", .version = "1", .data = {{"ab", "c"}}};
  ConfigMap renamed = map;
  renamed.name = "y";
  renamed.version = "2";
  renamed.annotations["note"] = "blue";
  EXPECT_EQ(Checksum(map), Checksum(renamed));
  EXPECT_EQ(Checksum(map).size(), std::string("sha256:").size() + 64);
  const ConfigMap others[] = {{.data = {{"a", "bc"}}},
                              {.data = {{"ab", "c"}, {"d", ""}}},
                              {.binary_data = {{"ab", "c"}}},
                              {.data = {}},
                              {.data = {{"ab", "c1:d"}}}};
  for (const ConfigMap& other : others) EXPECT_NE(Checksum(map), Checksum(other));
}

TEST(ConfigMapJson, IsReadAndWhatIsNoneIsSaidSo) {
  const auto map = ConfigMapFromJson(nlohmann::json::parse(
      R"({"metadata":{"name":"x","resourceVersion":"5","annotations":null},"data":{"k":"v"},"immutable":true})"));
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(map->version, "5");
  EXPECT_EQ(map->data.at("k"), "v");
  for (const char* wrong : {"{}", "[]", "3", R"({"metadata":{"name":3,"resourceVersion":"1"}})",
                            R"({"metadata":{"name":"x","resourceVersion":"1"},"data":{"k":3}})"}) {
    const auto refused = ConfigMapFromJson(nlohmann::json::parse(wrong));
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().code, leaderelection::ErrorCode::kCorrupt);
  }
}

TEST(ApiError, HasTheServersWordsOrItsStatus) {
  const auto error = ApiError(403, R"({"kind":"Status","message":"configmaps is forbidden"})");
  EXPECT_EQ(error.code, leaderelection::ErrorCode::kDenied);
  EXPECT_EQ(error.message, "HTTP status 403: configmaps is forbidden");
  EXPECT_EQ(ApiError(502, "<html>").message, "HTTP status 502");
  EXPECT_EQ(ApiError(409, "").code, leaderelection::ErrorCode::kConflict);
}

}  // namespace
}  // namespace example_operator

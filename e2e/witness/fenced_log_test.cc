#include "fenced_log.h"

#include <gtest/gtest.h>

#include <vector>

namespace leaderelection::witness {
namespace {

using std::chrono::nanoseconds;

std::string Grown(std::string content, const Writer& writer, int sent) {
  return std::get<Appended>(AppendTo(content, writer, MonotonicTime(nanoseconds(sent)))).content;
}

std::uint64_t RefusedBy(const std::string& content, const Writer& writer) {
  return std::get<Refused>(AppendTo(content, writer, MonotonicTime(nanoseconds(0)))).stored;
}

std::vector<Json> Terms(const std::string& content) {
  std::vector<Json> terms;
  for (std::size_t from = 0; from < content.size(); from = content.find('\n', from) + 1) {
    terms.push_back(Json::parse(content.substr(from, content.find('\n', from) - from)));
  }
  return terms;
}

TEST(FencedLogContent, NumbersEntriesFromOneAndKeepsOneLineForEachTerm) {
  std::string content;
  for (int sent : {100, 200, 300}) content = Grown(content, {"a", 7}, sent);
  for (int sent : {400, 500}) content = Grown(content, {"b", 9}, sent);
  const std::vector<Json> terms = Terms(content);
  ASSERT_EQ(terms.size(), 2U);
  EXPECT_EQ(terms[0], Json::parse(R"({"identity": "a", "number": 7, "first": 1, "last": 3,
                                      "first_sent_ns": 100, "last_sent_ns": 300})"));
  EXPECT_EQ(terms[1], Json::parse(R"({"identity": "b", "number": 9, "first": 4, "last": 5,
                                      "first_sent_ns": 400, "last_sent_ns": 500})"));
}

TEST(FencedLogContent, RefusesASmallerNumber) {
  const std::string content = Grown(Grown("", {"a", 7}, 1), {"b", 9}, 2);
  EXPECT_EQ(RefusedBy(content, {"a", 7}), 9U);
  EXPECT_EQ(RefusedBy(content, {"c", 8}), 9U);
}

TEST(FencedLogContent, RefusesTheSameNumberOfAnother) { EXPECT_EQ(RefusedBy(Grown("", {"a", 7}, 1), {"b", 7}), 7U); }

TEST(FencedLogContent, ANameMayHoldAnything) {
  const std::string content = Grown(Grown("", {"a\n\"{}", 7}, 1), {"a\n\"{}", 7}, 2);
  ASSERT_EQ(Terms(content).size(), 1U);
  EXPECT_EQ(Terms(content)[0]["last"], 2);
}

}  // namespace
}  // namespace leaderelection::witness

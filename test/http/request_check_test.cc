#include "http/request_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace leaderelection::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string ErrorOf(Request request) {
  const Status sound = CheckRequest(request);
  if (sound.ok()) return "";
  EXPECT_EQ(sound.error().code, ErrorCode::kInvalid);
  return sound.error().message;
}

TEST(CheckRequest, TakesWhatCanBeWritten) {
  EXPECT_EQ(ErrorOf({.method = "PATCH",
                     .target = "/apis/coordination.k8s.io/v1?watch=true&fieldSelector=metadata.name%3Da",
                     .headers = {{"Accept", "application/json, */*"}, {"User-Agent", "a/1 (b)\tc"}, {"X-Empty", ""}},
                     .bearer_token = net::Secret("a.b-c_d~e+f/g=="),
                     .body = "\r\n\r\n"}),
            "");
}

TEST(CheckRequest, RefusesLineBreaksEverywhereAndNamesThePlace) {
  EXPECT_THAT(ErrorOf({.method = "GET / HTTP/1.1\r\nX: y"}), HasSubstr("method"));
  EXPECT_THAT(ErrorOf({.method = ""}), HasSubstr("method"));
  EXPECT_THAT(ErrorOf({.target = "/ HTTP/1.1\r\nX: y"}), HasSubstr("target"));
  EXPECT_THAT(ErrorOf({.target = "/a\nb"}), HasSubstr("target"));
  EXPECT_THAT(ErrorOf({.target = "/\xc3\xa4"}), HasSubstr("target"));
  EXPECT_THAT(ErrorOf({.target = "http://elsewhere/"}), HasSubstr("target"));
  EXPECT_THAT(ErrorOf({.target = ""}), HasSubstr("target"));
  EXPECT_THAT(ErrorOf({.headers = {{"X\r\nY", "z"}}}), HasSubstr("name"));
  EXPECT_THAT(ErrorOf({.headers = {{"", "z"}}}), HasSubstr("name"));
  EXPECT_THAT(ErrorOf({.headers = {{"X", "a\r\nY: b"}}}), HasSubstr("header X"));
  EXPECT_THAT(ErrorOf({.headers = {{"X", "a\nb"}}}), HasSubstr("header X"));
  EXPECT_THAT(ErrorOf({.headers = {{"X", std::string("a\0b", 3)}}}), HasSubstr("header X"));
}

TEST(CheckRequest, ATokenThatCannotBeSentIsNotQuoted) {
  const std::string error = ErrorOf({.bearer_token = net::Secret("canary\r\nX: y")});
  EXPECT_THAT(error, HasSubstr("bearer token"));
  EXPECT_THAT(error, Not(HasSubstr("canary")));
}

TEST(CheckRequest, WhatTheClientWritesIsNotTheCallers) {
  for (const std::string name : {"Host", "content-length", "AUTHORIZATION", "Transfer-Encoding", "connection"})
    EXPECT_THAT(ErrorOf({.headers = {{name, "x"}}}), HasSubstr("the header " + name + " is not the caller's"));
}

TEST(Response, HeadersAreFoundWhateverTheirCase) {
  const Response response{.headers = {{"content-type", "a"}, {"Content-Type", "b"}}};
  ASSERT_NE(response.Find("CONTENT-TYPE"), nullptr);
  EXPECT_EQ(*response.Find("CONTENT-TYPE"), "a");
  EXPECT_EQ(response.Find("Content"), nullptr);
}

}  // namespace
}  // namespace leaderelection::http

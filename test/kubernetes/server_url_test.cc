#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/kube_settings.h"

namespace leaderelection {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServerUrl, HasAHostAPortAndAPath) {
  struct Row {
    const char* url;
    const char* host;
    int port;
    const char* path;
    bool is_plain;
  };
  for (const Row& row :
       {Row{"https://example.com", "example.com", 443, "", false},
        Row{"https://example.com:6443/", "example.com", 6443, "", false},
        Row{"https://10.0.0.1:6443/k8s/clusters/one/", "10.0.0.1", 6443, "/k8s/clusters/one", false},
        Row{"https://[::1]:6443", "::1", 6443, "", false}, Row{"https://[fd00::1]", "fd00::1", 443, "", false},
        Row{"http://127.0.0.1:8001", "127.0.0.1", 8001, "", true},
        Row{"http://localhost", "localhost", 80, "", true}}) {
    SCOPED_TRACE(row.url);
    const auto server = ParseServerUrl(row.url);
    ASSERT_TRUE(server.ok()) << server.error().message;
    EXPECT_EQ(server->endpoint.host, row.host);
    EXPECT_EQ(server->endpoint.port, row.port);
    EXPECT_EQ(server->path_prefix, row.path);
    EXPECT_EQ(server->is_plain, row.is_plain);
  }
}

TEST(ServerUrl, WhatIsWrongIsSaidAndNothingIsQuoted) {
  struct Row {
    const char* url;
    const char* said;
  };
  for (const Row& row :
       {Row{"", "is missing"}, Row{"canary.example.com:6443", "does not begin with https://"},
        Row{"ftp://canary", "does not begin with https://"},
        Row{"https://user:canary@example.com", "has a user name in it"},
        Row{"https://example.com?token=canary", "has a query"},
        Row{"https://example.com#canary", "has a query or a fragment"}, Row{"https://canary:0", "no valid port"},
        Row{"https://canary:65536", "no valid port"}, Row{"https://canary:", "no valid port"},
        Row{"https://canary:12x", "no valid port"}, Row{"https://[canary]", "no host"}, Row{"https://[::1", "no host"},
        Row{"https:///canary", "no host"}, Row{"https://can ary", "a space"},
        Row{"https://canary\r\nHost: x", "a space"}}) {
    SCOPED_TRACE(row.url);
    const auto server = ParseServerUrl(row.url);
    ASSERT_FALSE(server.ok());
    EXPECT_EQ(server.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(server.error().message, HasSubstr(row.said));
    EXPECT_THAT(server.error().message, Not(HasSubstr("canary")));
  }
}

}  // namespace
}  // namespace leaderelection

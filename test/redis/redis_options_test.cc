#include "redis/redis_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

namespace leaderelection {
namespace {

using redis::Check;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::string ComplaintAboutUrl(const std::string& url) {
  return Complaint([&] { (void)RedisOptions::FromUrl(url); });
}

std::string ComplaintAbout(const RedisOptions& options) {
  return Complaint([&] { (void)Check(options); });
}

// Sets variables for one test.
class Variables {
 public:
  void Set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }
  ~Variables() {
    for (const auto& name : names_) ::unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

TEST(RedisUrl, EveryPartIsRead) {
  const auto options = RedisOptions::FromUrl("rediss://us%65r:p%40ss%2Fword@[::1]:7000/3");
  EXPECT_TRUE(options.tls.enabled);
  EXPECT_EQ(options.username, "user");
  EXPECT_EQ(options.password, "p@ss/word");
  EXPECT_EQ(options.host, "::1");
  EXPECT_EQ(options.port, 7000);
  EXPECT_EQ(options.database, 3);
}

TEST(RedisUrl, WhatIsLeftOutHasItsDefault) {
  const auto options = RedisOptions::FromUrl("redis://example");
  EXPECT_FALSE(options.tls.enabled);
  EXPECT_EQ(options.host, "example");
  EXPECT_EQ(options.port, 6379);
  EXPECT_EQ(options.database, 0);
  EXPECT_EQ(options.username, "");
  EXPECT_EQ(RedisOptions::FromUrl("redis://:secret@h/").password, "secret");
}

TEST(RedisUrl, APasswordMayHoldAnAtSign) {
  const auto options = RedisOptions::FromUrl("redis://u:a@b@host");
  EXPECT_EQ(options.password, "a@b");
  EXPECT_EQ(options.host, "host");
}

TEST(RedisUrl, EveryWrongPartIsNamedAndNoneIsQuoted) {
  EXPECT_THAT(ComplaintAboutUrl("redis://us%er:canary%zz@host:port/x"),
              AllOf(HasSubstr("user name"), HasSubstr("password"), HasSubstr("host or the port"), HasSubstr("database"),
                    Not(HasSubstr("canary"))));
  EXPECT_THAT(ComplaintAboutUrl("http://u:canary@host"), AllOf(HasSubstr("scheme"), Not(HasSubstr("canary"))));
  EXPECT_THAT(ComplaintAboutUrl("redis://host?db=1"), HasSubstr("query"));
  for (const char* url : {"", "redis://", "redis://:6379", "redis://h:0", "redis://h:65536",
                          "redis://h:", "redis://[::1", "redis://h/-1", "redis://h/1x", "redis:/h", "host:6379"}) {
    EXPECT_NE(ComplaintAboutUrl(url), "") << url;
  }
}

TEST(RedisOptions, TheDefaultsAreValid) {
  const auto checked = Check({});
  EXPECT_EQ(checked.servers.at(0).port, 6379);
  EXPECT_EQ(checked.node.min_replicas, 0);
  EXPECT_FALSE(checked.node.link.tls);
  EXPECT_FALSE(checked.node.link.login.must_be_primary);
}

TEST(RedisOptions, WithSentinelOneReplicaMustAcknowledgeByDefault) {
  RedisOptions options{.sentinels = {"s1", "s2:5000"}, .sentinel_master = "m"};
  const auto checked = Check(options);
  EXPECT_EQ(checked.node.min_replicas, 1);
  EXPECT_TRUE(checked.node.link.login.must_be_primary);
  EXPECT_EQ(checked.sentinels.at(0).port, 26379);
  EXPECT_EQ(checked.sentinels.at(1).port, 5000);
  options.min_replicas = 0;
  EXPECT_EQ(Check(options).node.min_replicas, 0);
}

TEST(RedisOptions, EveryWrongFieldIsNamedAndNoPasswordIsQuoted) {
  RedisOptions options;
  options.host = "";
  options.port = 0;
  options.username = "u";
  options.password_file = "f";
  options.password = "canary";
  options.database = -1;
  options.tls.ca_file = "ca";
  options.sentinel_master = "m";
  options.sentinel_username = "s";
  options.sentinel_tls = {.enabled = true, .ca_file = "no such file"};
  options.min_replicas = -1;
  options.connect_timeout = {};
  EXPECT_THAT(ComplaintAbout(options),
              AllOf(HasSubstr("host is empty"), HasSubstr("port is 0"), HasSubstr("password and password_file"),
                    HasSubstr("database is negative"), HasSubstr("tls has settings but is not enabled"),
                    HasSubstr("sentinel_master is set without sentinels"), HasSubstr("sentinel_username"),
                    HasSubstr("sentinel_tls: cannot read the CA file"), HasSubstr("min_replicas is negative"),
                    HasSubstr("connect_timeout"), Not(HasSubstr("canary"))));
  EXPECT_THAT(ComplaintAbout({.sentinels = {"a b", "c:d"}, .cluster_nodes = {":1"}}),
              AllOf(HasSubstr("exclude each other"), HasSubstr("sentinel_master is empty"), HasSubstr("sentinels[0]"),
                    HasSubstr("sentinels[1]"), HasSubstr("cluster_nodes[0]")));
  EXPECT_THAT(ComplaintAbout({.database = 1, .cluster_nodes = {"h"}}), HasSubstr("database must be 0"));
}

TEST(RedisOptions, AreReadFromTheEnvironment) {
  Variables variables;
  variables.Set("MYREDIS_URL", "redis://u:p@host:1000/2");
  variables.Set("MYREDIS_PORT", "2000");
  variables.Set("MYREDIS_PASSWORD", "other");
  variables.Set("MYREDIS_TLS", "true");
  variables.Set("MYREDIS_TLS_CA_FILE", "ca");
  variables.Set("MYREDIS_KEY_PREFIX", "team");
  variables.Set("MYREDIS_SENTINELS", "a:1, b ,");
  variables.Set("MYREDIS_MIN_REPLICAS", "2");
  const auto options = RedisOptions::FromEnvironment("MYREDIS_");
  EXPECT_EQ(options.host, "host");
  EXPECT_EQ(options.port, 2000);
  EXPECT_EQ(options.username, "u");
  EXPECT_EQ(options.password, "other");
  EXPECT_EQ(options.database, 2);
  EXPECT_TRUE(options.tls.enabled);
  EXPECT_EQ(options.tls.ca_file, "ca");
  EXPECT_EQ(options.key_prefix, "team");
  EXPECT_THAT(options.sentinels, ElementsAre("a:1", "b"));
  EXPECT_EQ(options.min_replicas, 2);
}

TEST(RedisOptions, ThePortThatKubernetesSetsForAServiceCalledRedisIsPassedOver) {
  Variables variables;
  variables.Set("REDIS_PORT", "tcp://10.0.0.1:6380");
  EXPECT_EQ(RedisOptions::FromEnvironment().port, 6379);
  EXPECT_EQ(RedisOptions::FromEnvironment().host, "127.0.0.1") << "the Service is not taken for what was asked for";
  variables.Set("REDIS_URL", "redis://host:1000");
  EXPECT_EQ(RedisOptions::FromEnvironment().port, 1000);
  variables.Set("REDIS_PORT", "10.0.0.1:6380");
  EXPECT_THAT(Complaint([] { (void)RedisOptions::FromEnvironment(); }), HasSubstr("REDIS_PORT"));
}

TEST(RedisOptions, EveryWrongVariableIsNamedAndNoneIsQuoted) {
  Variables variables;
  variables.Set("REDIS_URL", "canary://u:canary@host");
  variables.Set("REDIS_PORT", "canary");
  variables.Set("REDIS_DATABASE", "-1");
  variables.Set("REDIS_TLS", "yes");
  variables.Set("REDIS_MIN_REPLICAS", "many");
  EXPECT_THAT(Complaint([] { (void)RedisOptions::FromEnvironment(); }),
              AllOf(HasSubstr("REDIS_URL"), HasSubstr("REDIS_PORT"), HasSubstr("REDIS_DATABASE"),
                    HasSubstr("REDIS_TLS"), HasSubstr("REDIS_MIN_REPLICAS"), Not(HasSubstr("canary"))));
}

TEST(RedisLock, NeedsAClientAndAName) {
  EXPECT_THAT(Complaint([] { RedisLock(nullptr, ""); }), AllOf(HasSubstr("client"), HasSubstr("name")));
}

}  // namespace
}  // namespace leaderelection

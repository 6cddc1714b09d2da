#include "leaderelection/lease_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <stdexcept>
#include <string>

#include "kubernetes/bounded_json.h"
#include "kubernetes/scripted_api.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using testing::Answering;
using testing::Asked;
using testing::Conversation;
using ::testing::HasSubstr;
using testing::LeaseBody;
using testing::LockClient;
using ::testing::Not;
using testing::Notes;
using testing::PendingAnswer;
using testing::Reply;
using testing::ScriptedApi;
using testing::StatusBody;

constexpr const char* kJson = "Content-Type: application/json\r\n";

Record HeldBy(const std::string& holder) {
  return {.holder_identity = holder, .lease_duration = 15s, .acquire_time = WallTime(1s), .renew_time = WallTime(2s)};
}

std::string WrongFieldsOf(const std::shared_ptr<KubeClient>& client, const LeaseLockOptions& options) {
  try {
    const LeaseLock lock(client, options);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// Gives the first error, which holds nothing of the token.
Error FailureOf(const Result<Stored>& result) {
  if (result) {
    ADD_FAILURE() << "it succeeded";
    return {};
  }
  EXPECT_THAT(result.error().message, Not(HasSubstr("canary")));
  return result.error();
}

TEST(LeaseLock, NamesEveryFieldThatIsWrong) {
  const ScriptedApi api(Answering([](const Asked&) { return ""; }));
  const auto client = api.Client();
  EXPECT_THAT(WrongFieldsOf(nullptr, {}), AllOf(HasSubstr("client is null"), HasSubstr("lease_namespace is empty"),
                                                HasSubstr("lease_name is empty")));
  EXPECT_THAT(
      WrongFieldsOf(client, {.lease_namespace = "A", .lease_name = "b_c"}),
      AllOf(HasSubstr("lease_namespace is not a DNS-1123 label"), HasSubstr("lease_name is not a DNS-1123 subdomain")));
  for (const char* name : {"-a", "a-", "a..b", ".a", "a.", "a/b", "a b", "../x", "a%2fb"}) {
    EXPECT_THAT(WrongFieldsOf(client, {.lease_namespace = "x", .lease_name = name}), HasSubstr("lease_name")) << name;
  }
  EXPECT_NE(WrongFieldsOf(client, {.lease_namespace = "a.b", .lease_name = "x"}), "");
  EXPECT_NE(WrongFieldsOf(client, {.lease_namespace = std::string(64, 'a'), .lease_name = "x"}), "");
  EXPECT_NE(WrongFieldsOf(client, {.lease_namespace = "x", .lease_name = std::string(254, 'a')}), "");
  EXPECT_EQ(WrongFieldsOf(client, {.lease_namespace = std::string(63, 'a'), .lease_name = "a.b-c.0"}), "");
}

TEST(LeaseLock, TakesTheConfigurationsNamespaceOnlyWhenAskedTo) {
  const ScriptedApi api(Answering([](const Asked&) { return ""; }));
  const auto client = api.Client();
  EXPECT_THAT(WrongFieldsOf(client, {.lease_name = "demo"}), HasSubstr("lease_namespace is empty"));
  EXPECT_EQ(LeaseLock(client, {.lease_name = "demo", .use_default_namespace = true}).Describe(), "from-context/demo");
  EXPECT_EQ(
      LeaseLock(client, {.lease_namespace = "own", .lease_name = "demo", .use_default_namespace = true}).Describe(),
      "own/demo");
}

TEST(LeaseLock, AsksUnderTheServersPathWithTokenAndName) {
  Notes notes;
  const ScriptedApi api(Answering([&](const Asked& asked) {
                          notes.Add(asked);
                          return Reply(200, LeaseBody(7), kJson);
                        }),
                        {.path = "/k8s/clusters/one/"});
  const LockClient lock = api.Connect();
  const auto read = lock.Get();
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(lock.Update(HeldBy("b"), read->version).ok());
  (void)lock.Create(HeldBy("c"));
  const auto asked = notes.all();
  ASSERT_EQ(asked.size(), 3U);
  const std::string leases = "/k8s/clusters/one/apis/coordination.k8s.io/v1/namespaces/default/leases";
  EXPECT_EQ(asked[0].method + " " + asked[0].target, "GET " + leases + "/demo");
  EXPECT_EQ(asked[1].method + " " + asked[1].target, "PUT " + leases + "/demo");
  EXPECT_EQ(asked[2].method + " " + asked[2].target, "POST " + leases);
  EXPECT_EQ(asked[0].Header("Authorization"), "Bearer first-canary");
  EXPECT_THAT(asked[0].Header("User-Agent"), HasSubstr("leader-election"));
  EXPECT_EQ(asked[1].Header("Content-Type"), "application/json");
  const Json written = Json::parse(asked[1].body);
  EXPECT_EQ(written["metadata"]["uid"], "1");
  EXPECT_EQ(written["metadata"]["resourceVersion"], "7");
  EXPECT_EQ(written["spec"]["renewTime"], "1970-01-01T00:00:02.000000Z");
}

TEST(LeaseLock, ARefusedTokenIsReadAgainAndTriedOnceMore) {
  std::atomic<int> requests = 0;
  const ScriptedApi api(Answering([&](const Asked& asked) {
    ++requests;
    return asked.Header("Authorization") == "Bearer second-canary" ? Reply(200, LeaseBody(7), kJson)
                                                                   : Reply(401, StatusBody(401), kJson);
  }));
  const LockClient lock = api.Connect();
  EXPECT_EQ(FailureOf(lock.Get()).code, ErrorCode::kDenied);
  EXPECT_EQ(requests, 1) << "the same token was tried twice";
  api.WriteToken("second-canary\n");
  EXPECT_TRUE(lock.Get().ok());
  EXPECT_EQ(requests, 3);
  api.WriteToken("third-canary");
  EXPECT_TRUE(lock.Get().ok()) << "a token that is not refused was thrown away";
}

TEST(LeaseLock, AnEmptyOrMissingTokenFileDoesNotReplaceTheToken) {
  std::string accepted = "Bearer first-canary";
  const ScriptedApi api(Answering([&](const Asked& asked) {
    return asked.Header("Authorization") == accepted ? Reply(200, LeaseBody(7), kJson)
                                                     : Reply(401, StatusBody(401), kJson);
  }));
  const LockClient lock = api.Connect();
  ASSERT_TRUE(lock.Get().ok());
  accepted = "nothing";
  api.WriteToken("");
  EXPECT_EQ(FailureOf(lock.Get()).code, ErrorCode::kDenied);
  std::filesystem::remove(api.folder().path() / "token");
  EXPECT_EQ(FailureOf(lock.Get()).code, ErrorCode::kDenied);
  EXPECT_GE(api.log().Count("the old token stays"), 1);
  EXPECT_EQ(api.log().Count("canary"), 0);
  accepted = "Bearer first-canary";
  EXPECT_TRUE(lock.Get().ok());
}

TEST(LeaseLock, AnExecPluginRunsOnceUntilItsTokenIsRefused) {
  std::atomic<int> accepted = 1;
  ScriptedApi::Options options;
  options.user = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}";
  const ScriptedApi api(Answering([&](const Asked& asked) {
                          return asked.Header("Authorization") == "Bearer canary-" + std::to_string(accepted)
                                     ? Reply(200, LeaseBody(7), kJson)
                                     : Reply(401, StatusBody(401), kJson);
                        }),
                        options);
  const std::string runs = (api.folder().path() / "runs").string();
  const std::string plugin = api.folder().Write(
      "plugin",
      "#!/bin/sh\necho run >> " + runs + "\nn=$(wc -l < " + runs +
          ")\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",'\n"
          "echo '\"status\":{\"token\":\"canary-'$n'\",\"expirationTimestamp\":\"2999-01-01T00:00:00Z\"}}'\n");
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  const LockClient lock = api.Connect();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(lock.Get().ok());
  accepted = 2;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(lock.Get().ok());
  std::string lines((std::istreambuf_iterator<char>(std::ifstream(runs).rdbuf())), {});
  EXPECT_EQ(lines, "run\nrun\n");
}

TEST(LeaseLock, AnExecPluginThatFailsIsNamed) {
  ScriptedApi::Options options;
  options.user = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./missing, interactiveMode: Never}";
  const ScriptedApi api(Answering([](const Asked&) { return ""; }), options);
  const Error error = FailureOf(api.Connect().Get());
  EXPECT_EQ(error.code, ErrorCode::kDenied);
  EXPECT_THAT(error.message, HasSubstr("/missing cannot be started: No such file"));
}

TEST(LeaseLock, ACertificateFromAnExecPluginThatIsNoneIsRefusedEveryTime) {
  ScriptedApi::Options options;
  options.user = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}";
  const ScriptedApi api(Answering([](const Asked&) { return Reply(200, LeaseBody(7), kJson); }), options);
  const std::string plugin = api.folder().Write(
      "plugin",
      "#!/bin/sh\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
      "\"status\":{\"clientCertificateData\":\"canary\",\"clientKeyData\":\"canary\"}}'\n");
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  const LockClient lock = api.Connect();
  for (int i = 0; i < 2; ++i) {
    const Error error = FailureOf(lock.Get());
    EXPECT_EQ(error.code, ErrorCode::kDenied);
    EXPECT_THAT(error.message, HasSubstr("is not a certificate in PEM form"));
  }
}

TEST(LeaseLock, WhatAStrangerAnswersMayHaveLanded) {
  struct Row {
    std::string reply;
    const char* said;
  };
  const Row rows[] = {
      {Reply(502, "<html>first-canary</html>", "Content-Type: text/html\r\n"), "502 with text/html"},
      {Reply(200, "<html>log in</html>", "Content-Type: text/html\r\n"), "200 with text/html"},
      {Reply(302, "", "Location: https://example.com/first-canary\r\n"), "a redirect, which is not followed"},
      {Reply(500, StatusBody(500, "etcd is away"), kJson), "etcd is away"},
      {Reply(500, StatusBody(500, "you sent first-canary"), kJson), "you sent [token]"},
      {Reply(200, LeaseBody(7).substr(0, 40), kJson), "no JSON"},
      {Reply(200, "{}", kJson), "kind is ''"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", ""},
      {"nonsense\r\n\r\n", ""},
  };
  for (const Row& row : rows) {
    std::atomic<int> requests = 0;
    const ScriptedApi api([&](Conversation& client) {
      testing::Requests all(client);
      if (!all.Next()) return;
      ++requests;
      client.Send(row.reply);
    });
    const Error error = FailureOf(api.Connect().Create(HeldBy("a")));
    EXPECT_EQ(error.code, ErrorCode::kUnknown) << row.said;
    EXPECT_THAT(error.message, HasSubstr(row.said));
    EXPECT_EQ(requests, 1) << row.said;
    EXPECT_EQ(api.log().Count("canary"), 0);
  }
}

TEST(LeaseLock, AThrottlingServerSaysWhenToComeBack) {
  const ScriptedApi api(
      Answering([](const Asked&) { return Reply(429, StatusBody(429), std::string(kJson) + "Retry-After: 7\r\n"); }));
  const Error error = FailureOf(api.Connect().Get());
  EXPECT_EQ(error.code, ErrorCode::kThrottled);
  EXPECT_EQ(error.retry_after, 7s);
}

TEST(LeaseLock, ARequestEndsAtItsDeadline) {
  const ScriptedApi api([](Conversation& client) { client.Swallow(); });
  EXPECT_EQ(FailureOf(api.Connect().Get(BootClock::now() + 200ms)).code, ErrorCode::kTimeout);
}

TEST(LeaseLock, ItsDestructorDropsWhatTheServerDoesNotAnswer) {
  const ScriptedApi api([](Conversation& client) { client.Swallow(); });
  const auto client = api.Client();
  auto lock = std::make_unique<LeaseLock>(client, LeaseLockOptions{.lease_namespace = "default", .lease_name = "demo"});
  PendingAnswer answer;
  lock->Get(kNever, answer.MakeDone());
  EXPECT_EQ(answer.times(), 0);
  lock.reset();
  EXPECT_EQ(answer.times(), 1);
  EXPECT_EQ(answer.Wait(0s).error().code, ErrorCode::kUnknown);
}

TEST(LeaseLock, TheLastOwnerMayLetGoInADone) {
  const ScriptedApi api(Answering([](const Asked&) { return Reply(200, LeaseBody(7), kJson); }));
  auto client = api.Client();
  auto lock = std::make_shared<LeaseLock>(client, LeaseLockOptions{.lease_namespace = "default", .lease_name = "demo"});
  client.reset();
  std::promise<void> let_go;
  LeaseLock& used = *lock;
  used.Get(BootClock::now() + 60s, Done<Stored>([&let_go, lock = std::move(lock)](const Result<Stored>&) mutable {
             lock.reset();
             let_go.set_value();
           }));
  EXPECT_EQ(let_go.get_future().wait_for(60s), std::future_status::ready);
}

TEST(LeaseLock, AServerThatIsNotTheOneConfiguredIsRefusedByName) {
  struct Row {
    ScriptedApi::Options options;
    const char* said;
  };
  const testing::CertificateWish expired{.addresses = {"127.0.0.1"}, .valid_from = -48h, .valid_until = -24h};
  const Row rows[] = {
      {{.is_foreign = true}, "certificate"},
      {{.certificate = {.dns = {"other.example.com"}}}, "certificate is for other.example.com, not 127.0.0.1"},
      {{.cluster = ", tls-server-name: kubernetes.default"}, "certificate is for 127.0.0.1, not kubernetes.default"},
      {{.certificate = expired}, "certificate has expired"},
      {{.newest_version = TLS1_1_VERSION}, "the server offers no TLS 1.2 or newer"},
  };
  for (const Row& row : rows) {
    std::atomic<int> requests = 0;
    const ScriptedApi api(Answering([&](const Asked&) {
                            ++requests;
                            return Reply(200, LeaseBody(7), kJson);
                          }),
                          row.options);
    const Error error = FailureOf(api.Connect().Get());
    EXPECT_EQ(error.code, ErrorCode::kUnknown) << row.said;
    EXPECT_THAT(error.message, HasSubstr(row.said));
    EXPECT_EQ(requests, 0) << row.said;
  }
}

TEST(LeaseLock, VerificationIsOffOnlyIfSpelledOutAndThatIsLogged) {
  ScriptedApi::Options options;
  options.is_foreign = true;
  options.cluster = ", insecure-skip-tls-verify: true";
  const ScriptedApi api(Answering([](const Asked&) { return Reply(200, LeaseBody(7), kJson); }), options);
  EXPECT_TRUE(api.Connect().Get().ok());
  EXPECT_EQ(api.log().Count("certificate is not verified"), 1);
}

TEST(LeaseLock, AMissingAuthorityFailsBeforeAnythingIsSent) {
  const ScriptedApi api(Answering([](const Asked&) { return ""; }));
  std::filesystem::remove(api.folder().path() / "ca.crt");
  const auto client = KubeClient::Make(api.Config());
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(client.error().message, AllOf(HasSubstr("ca.crt"), HasSubstr("No such file")));
}

TEST(LeaseLock, AnAuthorityThatIsReplacedOnDiskIsTrustedWithoutARestart) {
  const ScriptedApi api(Answering([](const Asked&) { return Reply(200, LeaseBody(7), kJson); }));
  api.WriteAuthority(testing::Authority().pem());
  const LockClient lock = api.Connect();
  EXPECT_FALSE(lock.Get().ok());
  api.WriteAuthority(api.authority().pem());
  const MonotonicTime end = BootClock::now() + 60s;
  while (!lock.Get().ok()) ASSERT_LT(BootClock::now(), end) << "the new authority is not used";
}

TEST(LeaseLock, AVersionThatIsNotFromALeaseIsInvalid) {
  const ScriptedApi api(Answering([](const Asked&) { return ""; }));
  EXPECT_EQ(FailureOf(api.Connect().Update(HeldBy("a"), Version{.order = 3})).code, ErrorCode::kInvalid);
}

TEST(LeaseLock, AnEventNamesTheLeaseAndDelaysNobody) {
  Notes notes;
  const ScriptedApi api(Answering([&](const Asked& asked) {
    notes.Add(asked);
    return asked.method == "POST" ? Reply(403, StatusBody(403), kJson) : Reply(200, LeaseBody(7), kJson);
  }));
  const auto lock =
      std::make_shared<LeaseLock>(api.Client(), LeaseLockOptions{.lease_namespace = "default", .lease_name = "demo"});
  const LockClient client(lock, 60s);
  lock->RecordEvent("me", "became leader");  // nothing is known of the Lease yet
  ASSERT_TRUE(client.Get().ok());
  lock->RecordEvent("me", "became leader");
  const MonotonicTime end = BootClock::now() + 60s;
  while (api.log().Count("an Event could not be written") == 0) ASSERT_LT(BootClock::now(), end);
  const auto asked = notes.all();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[1].target, "/api/v1/namespaces/default/events");
  const Json event = Json::parse(asked[1].body);
  EXPECT_EQ(event["message"], "me became leader");
  EXPECT_EQ(event["reason"], "LeaderElection");
  EXPECT_EQ(event["type"], "Normal");
  EXPECT_EQ(event["involvedObject"]["uid"], "1");
}

TEST(LeaseLock, AnEventThatIsUnderWayIsWrittenBeforeTheLockIsGone) {
  for (int round = 0; round < 3; ++round) {
    Notes notes;
    const ScriptedApi api(Answering([&](const Asked& asked) {
      notes.Add(asked);
      return asked.method == "POST" ? Reply(201, "{}", kJson) : Reply(200, LeaseBody(7), kJson);
    }));
    {
      const auto lock = std::make_shared<LeaseLock>(
          api.Client(), LeaseLockOptions{.lease_namespace = "default", .lease_name = "demo"});
      ASSERT_TRUE(LockClient(lock, 60s).Get().ok());
      lock->RecordEvent("me", "stopped leading");
    }
    ASSERT_EQ(notes.all().size(), 2U);
    EXPECT_EQ(notes.all()[1].method, "POST");
  }
}

TEST(LeaseLock, AnEventThatNobodyAnswersDoesNotKeepTheLock) {
  std::atomic<bool> asked_for_event = false;
  const ScriptedApi api([&](Conversation& client) {
    testing::Requests requests(client);
    while (const auto asked = requests.Next()) {
      if (asked->method == "POST") asked_for_event = true;
      if (asked->method == "GET") client.Send(Reply(200, LeaseBody(7), kJson));
    }
  });
  const MonotonicTime begin = BootClock::now();
  {
    const auto lock =
        std::make_shared<LeaseLock>(api.Client(), LeaseLockOptions{.lease_namespace = "default", .lease_name = "demo"});
    ASSERT_TRUE(LockClient(lock, 60s).Get().ok());
    lock->RecordEvent("me", "stopped leading");
  }
  EXPECT_TRUE(asked_for_event);
  EXPECT_LT(BootClock::now() - begin, 10s);  // which is how long the Event itself is tried
}

}  // namespace
}  // namespace leaderelection

// status, observe, step-down and demo, as an operator types them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command/program.h"

namespace leaderelection::command {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Asking : public testing::Test {
 protected:
  std::unique_ptr<Program> Start(const std::string& output, std::vector<std::string> words,
                                 const std::vector<std::string>& command = {}) {
    words.insert(words.begin(), LEADER_ELECTOR);
    words.insert(words.begin() + 2, {"--lock=file", "--lock-file=" + (folder_ / "lock").string()});
    words.insert(words.end(), command.begin(), command.end());
    return std::make_unique<Program>(words, folder_ / output);
  }
  std::unique_ptr<Program> Candidate(const std::string& name, const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {"run",
                                      "--identity=" + name,
                                      "--lease-duration=3s",
                                      "--renew-deadline=2s",
                                      "--retry-period=500ms",
                                      "--metadata=zone=x"};
    words.insert(words.end(), options.begin(), options.end());
    return Start(name + ".log", words, {"--", "sleep", "1000"});
  }
  struct Answer {
    int code;
    std::string text;
  };
  Answer Ask(const std::vector<std::string>& words) {
    auto program = Start("answer" + std::to_string(++asked_), words);
    const int code = program->Wait();
    return {code, program->Output()};
  }
  static bool Says(const Program& program, const std::string& text) {
    return Eventually([&] { return program.Output().find(text) != std::string::npos; });
  }

  const Folder folder_;
  int asked_ = 0;
};

TEST_F(Asking, StatusTellsWhoLeadsByTextJsonAndExitCode) {
  EXPECT_EQ(Ask({"status"}).code, 3);
  EXPECT_THAT(Ask({"status"}).text, HasSubstr("nobody leads"));
  auto a = Candidate("a");
  ASSERT_TRUE(Says(*a, "command started"));
  const Answer text = Ask({"status"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.text, HasSubstr("leader a, since 20"));
  EXPECT_THAT(text.text, HasSubstr("zone=x"));
  const json answer = json::parse(Ask({"status", "-o", "json"}).text);
  EXPECT_EQ(answer["leader"]["identity"], "a");
  EXPECT_EQ(answer["leader"]["metadata"]["zone"], "x");
  EXPECT_EQ(Ask({"status", "--identity=a"}).code, 0);
  EXPECT_EQ(Ask({"status", "--identity=b"}).code, 1);
  a->Signal(SIGTERM);
  EXPECT_EQ(a->Wait(), 128 + SIGTERM);
  EXPECT_EQ(Ask({"status"}).code, 3);
}

TEST_F(Asking, StatusDoesNotTakeADeadLeaderForALivingOne) {
  auto a = Candidate("a");
  ASSERT_TRUE(Says(*a, "command started"));
  a->Signal(SIGKILL);
  a->Wait();
  EXPECT_TRUE(Eventually([&] { return Ask({"status"}).code == 3; }));
}

TEST_F(Asking, ObserveFollowsWhoLeads) {
  auto observer = Start("observer", {"observe", "-o", "json"});
  ASSERT_TRUE(Says(*observer, "\"leader\":null"));
  auto a = Candidate("a");
  ASSERT_TRUE(Says(*observer, "\"identity\":\"a\""));
  auto b = Candidate("b");
  ASSERT_TRUE(Says(*b, "leader=a"));
  a->Signal(SIGTERM);
  ASSERT_TRUE(Says(*observer, "\"leader\":{\"identity\":\"b\""));
  observer->Signal(SIGTERM);
  EXPECT_EQ(observer->Wait(), 0);
  std::istringstream lines(observer->Output());
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(json::accept(line)) << line;
}

TEST_F(Asking, StepDownAsksTheLeaderWhoAgreesOnlyIfEnabled) {
  auto a = Candidate("a");
  ASSERT_TRUE(Says(*a, "command started"));
  const Answer refused = Ask({"step-down"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.text, HasSubstr("a does not step down"));
  EXPECT_THAT(refused.text, HasSubstr("--admin-step-down=this-host"));
  EXPECT_EQ(Ask({"status", "--identity=a"}).code, 0);
}

TEST_F(Asking, StepDownHandsOverToAnother) {
  EXPECT_EQ(Ask({"step-down"}).code, 3);
  auto a = Candidate("a", {"--admin-step-down=this-host"});
  ASSERT_TRUE(Says(*a, "command started"));
  auto b = Candidate("b");
  ASSERT_TRUE(Says(*b, "leader=a"));
  const Answer answer = Ask({"step-down"});
  EXPECT_EQ(answer.code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("a steps down"));
  EXPECT_TRUE(Says(*b, "command started"));
  EXPECT_TRUE(Says(*a, "leader=b"));
  EXPECT_EQ(Ask({"status", "--identity=b"}).code, 0);
}

TEST_F(Asking, StepDownSaysIfTheLeaderHasNoAdminEndpoints) {
  auto a = Candidate("a", {"--admin-address=off"});
  ASSERT_TRUE(Says(*a, "command started"));
  const Answer answer = Ask({"step-down"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.text, HasSubstr("has told no address"));
}

TEST_F(Asking, WrongDurationsAndAddressesAreNamedAsFlags) {
  const auto says = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = {"run"};
    words.insert(words.end(), options.begin(), options.end());
    auto program = Start("bad" + std::to_string(++asked_), words, {"--", "true"});
    EXPECT_EQ(program->Wait(), 2);
    return program->Output();
  };
  EXPECT_THAT(says({"--lease-duration=5s"}), HasSubstr("--renew-deadline (10s) must be at least 100ms less"));
  EXPECT_THAT(says({"--retry-period=9s"}),
              HasSubstr("--renew-deadline (10000 ms) is not greater than 1.2 x --retry-period"));
  EXPECT_THAT(says({"--admin-address=localhost"}), HasSubstr("--admin-address: 'localhost' is not an IP address"));
  EXPECT_THAT(says({"--admin-address=192.0.2.1:1"}), HasSubstr("cannot listen on 192.0.2.1:1"));
}

// Before the first attempt: a candidate that cannot ever lead must not look as if it waited for its turn.
TEST_F(Asking, ALockThatCannotBeUsedEndsACandidateAtOnce) {
  const auto says = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = {LEADER_ELECTOR, "run"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "true"});
    Program program(words, folder_ / ("unusable" + std::to_string(++asked_)));
    EXPECT_EQ(program.Wait(), 2);
    const std::string said = program.Output();
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
    return said;
  };
  EXPECT_THAT(says({"--lock=file", "--lock-file=" + (folder_ / "missing" / "lock").string()}),
              HasSubstr("No such file or directory; create it"));
#ifdef LEADER_ELECTOR_LEASE
  EXPECT_THAT(says({"--name=x", "--namespace=n", "--kubeconfig=/no/such"}), HasSubstr("no API server to talk to: "));
#endif
#ifdef LEADER_ELECTOR_REDIS
  EXPECT_THAT(says({"--lock=redis", "--name=x", "--redis-url=redis://h:port"}), HasSubstr("--lock=redis: "));
  EXPECT_THAT(says({"--lock=redis", "--redis-url=redis://127.0.0.1:1"}), HasSubstr("--name is missing"));
#endif
}

// It may start before its server does, as a pod does; observe, status and step-down do not wait.
TEST_F(Asking, AServerThatIsNotThereYetIsWaitedForByACandidateAndSaidSoByTheOthers) {
#ifdef LEADER_ELECTOR_REDIS
  const std::vector<std::string> lock = {"--lock=redis", "--name=x", "--redis-url=redis://127.0.0.1:1"};
  std::vector<std::string> words = {LEADER_ELECTOR, "run", "--retry-period=500ms"};
  words.insert(words.end(), lock.begin(), lock.end());
  words.insert(words.end(), {"--", "true"});
  Program candidate(words, folder_ / "candidate.log");
  ASSERT_TRUE(Says(candidate, "request failed"));
  EXPECT_THAT(candidate.Output(), HasSubstr("127.0.0.1:1"));
  candidate.Signal(SIGTERM);
  EXPECT_EQ(candidate.Wait(), 0);
  for (const char* asked : {"observe", "status", "step-down"}) {
    words = {LEADER_ELECTOR, asked};
    words.insert(words.end(), lock.begin(), lock.end());
    Program program(words, folder_ / asked);
    EXPECT_EQ(program.Wait(), 2) << asked;
    EXPECT_THAT(program.Output(), testing::EndsWith("is the server running, and the address right?\n"));
  }
#else
  GTEST_SKIP() << "built without a lock on a server";
#endif
}

TEST_F(Asking, TheLogCanBeJson) {
  auto a = Candidate("a", {"--log-format=json", "--log-level=debug"});
  ASSERT_TRUE(Says(*a, "command started"));
  std::istringstream lines(a->Output());
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    const json event = json::parse(line, nullptr, false);
    EXPECT_TRUE(event.contains("time") && event.contains("level") && event.contains("msg")) << line;
  }
}

TEST(Demo, ShowsATakeOverAndAHandOver) {
  const Folder folder;
  Program demo({LEADER_ELECTOR, "demo"}, folder / "demo.log");
  EXPECT_EQ(demo.Wait(), 0);
  const std::string shown = demo.Output();
  EXPECT_THAT(shown,
              testing::ContainsRegex("kill -9 [abc].*[abc] leads, .*kill -TERM [abc].*[abc] leads,.*that is all"));
}

}  // namespace
}  // namespace leaderelection::command

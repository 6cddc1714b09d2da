// The table of options, and what is made of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "command.h"
#include "command/program.h"
#include "commands.h"
#include "options/duration.h"
#include "options/table.h"
#include "options/values.h"
#include "usage_error.h"

namespace leaderelection::command {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string MistakeOf(const std::function<void()>& function) {
  try {
    function();
  } catch (const UsageError& mistake) {
    return mistake.what();
  }
  return "none";
}

class Configuration : public testing::Test {
 protected:
  std::string File(const std::string& text) {
    const std::string path = folder_ / "elector.yaml";
    std::ofstream(path) << text;
    return path;
  }
  std::string MistakeInFile(const std::string& text) {
    const std::string path = File(text);
    std::string mistake = MistakeOf([&] { (void)Configure(kRun, {"--config=" + path}, {}); });
    if (mistake.starts_with(path)) mistake.replace(0, path.size(), "FILE");
    return mistake;
  }
  const Folder folder_;
};

TEST(OptionTable, NamesAreUniqueAndRegular) {
  std::set<std::string_view> names;
  std::set<std::string_view> keys;
  for (const Option& option : Options()) {
    EXPECT_TRUE(names.insert(option.flag).second) << option.flag;
    EXPECT_TRUE(option.short_flag.empty() || names.insert(option.short_flag).second) << option.short_flag;
    EXPECT_TRUE(names.insert(option.variable).second) << option.variable;
    EXPECT_TRUE(option.key.empty() || keys.insert(option.key).second) << option.key;
    std::string variable = "LEADER_ELECTOR_" + ShortName(option).substr(2);
    for (char& character : variable) character = character == '-' ? '_' : static_cast<char>(std::toupper(character));
    EXPECT_EQ(option.variable, variable);
    EXPECT_TRUE(option.help.ends_with('.') || option.help.ends_with("...")) << option.flag;
  }
}

TEST(OptionTable, DefaultsAreGoodValues) {
  ValueMap values;
  for (const Option& option : Options()) {
    if (!option.fallback.empty() && option.kind == Kind::kDuration) {
      EXPECT_NO_THROW((void)ParseDuration(option.fallback, "")) << option.flag;
    }
    if (option.kind == Kind::kChoice) {
      EXPECT_THAT("|" + std::string(option.value) + "|", HasSubstr("|" + std::string(option.fallback) + "|"));
    }
  }
}

TEST(OptionTable, EveryOptionIsInTheHelpOfItsCommandsAndInTheTable) {
  const std::pair<Command, std::string> commands[] = {
      {kRun, "run"}, {kObserve, "observe"}, {kStatus, "status"}, {kStepDown, "step-down"}};
  const std::string table = MarkdownTable();
  for (const Option& option : Options()) {
    for (const auto& [command, name] : commands) {
      const bool shown = Help(name).find("--" + std::string(option.flag) +
                                         (option.short_flag.size() > 1 ? "," : " ")) != std::string::npos;
      EXPECT_EQ(shown, (option.commands & command) != 0) << option.flag << " of " << name;
    }
    EXPECT_THAT(table, HasSubstr("`--" + std::string(option.flag) + "`"));
    EXPECT_THAT(table, HasSubstr("`" + std::string(option.variable) + "`"));
    EXPECT_TRUE(option.key.empty() || table.find("`" + std::string(option.key) + "`") != std::string::npos);
  }
}

TEST(OptionTable, EveryOptionCanBeGivenInAllThreeWays) {
  const Folder folder;
  for (const Option& option : Options()) {
    if (option.flag == "config") continue;
    const std::string text = option.kind == Kind::kDuration ? "7s"
                             : option.kind == Kind::kChoice
                                 ? std::string(option.value.substr(0, option.value.find('|')))
                                 : "k=v";
    const unsigned command = option.commands & (~option.commands + 1);
    const auto given = [&](const std::vector<std::string>& flags, const Environment& environment) {
      const Values values = Configure(static_cast<Command>(command), flags, environment);
      if (option.kind == Kind::kPairs) return values.Pairs(option.flag) == Metadata{{"k", "v"}};
      return values.Given(option.flag) && values.Text(option.flag) == text;
    };
    EXPECT_TRUE(given({"--" + std::string(option.flag) + "=" + text}, {})) << option.flag;
    EXPECT_TRUE(given({ShortName(option), text}, {})) << option.flag;
    EXPECT_TRUE(given({}, {{std::string(option.variable), text}})) << option.variable;
    const std::string path = folder / "f.yaml";
    std::string yaml;
    std::istringstream parts{std::string(option.key)};
    std::string indent;
    for (std::string part; std::getline(parts, part, '.'); indent += "  ") {
      yaml += (yaml.empty() ? "" : "\n") + indent + part + ":";
    }
    yaml += option.kind == Kind::kPairs ? "\n  k: v\n" : " \"" + text + "\"\n";
    std::ofstream(path) << yaml;
    EXPECT_TRUE(given({"--config", path}, {})) << yaml;
  }
}

TEST_F(Configuration, AFlagWinsOverAVariableAndAVariableOverTheFile) {
  const std::string path = File("leaderElection: {leaseDuration: 1s, renewDeadline: 1s, retryPeriod: 1s}\n");
  const Values values =
      Configure(kRun, {"--config", path, "--lease-duration=3s"},
                {{"LEADER_ELECTOR_LEASE_DURATION", "2s"}, {"LEADER_ELECTOR_RENEW_DEADLINE", "2s"}, {"PATH", "/bin"}});
  EXPECT_EQ(values.Duration("leader-elect-lease-duration"), 3s);
  EXPECT_EQ(values.Duration("leader-elect-renew-deadline"), 2s);
  EXPECT_EQ(values.Duration("leader-elect-retry-period"), 1s);
  EXPECT_EQ(values.Duration("grace-period"), 30s);
}

TEST_F(Configuration, TheFileMayBeNamedByAVariable) {
  const std::string path = File("file: {path: /x}\n");
  EXPECT_EQ(Configure(kStatus, {}, {{"LEADER_ELECTOR_CONFIG", path}}).Text("lock-file"), "/x");
}

TEST_F(Configuration, MetadataIsRepeatedListedOrMapped) {
  const Metadata both = {{"a", "1"}, {"b", "2=3"}};
  EXPECT_EQ(Configure(kRun, {"--metadata", "a=1", "--metadata=b=2=3"}, {}).Pairs("metadata"), both);
  EXPECT_EQ(Configure(kRun, {}, {{"LEADER_ELECTOR_METADATA", "a=1,b=2=3"}}).Pairs("metadata"), both);
  EXPECT_EQ(Configure(kRun, {"--config", File("metadata: {a: 1, b: 2=3}")}, {}).Pairs("metadata"), both);
  EXPECT_THAT(MistakeOf([] { (void)Configure(kRun, {"--metadata=x"}, {}); }), HasSubstr("'x' is not key=value"));
}

TEST_F(Configuration, AMistakeInTheFileIsNamedWithItsLine) {
  EXPECT_EQ(MistakeInFile("\nleaderElection:\n  leaseDuraton: 3s\n"),
            "FILE:3: unknown key 'leaderElection.leaseDuraton'; did you mean 'leaderElection.leaseDuration'?");
  EXPECT_EQ(MistakeInFile("leaderElection:\n  leaseDuration: 10\n"),
            "FILE:2: leaderElection.leaseDuration: '10' has no unit; write 10s for seconds or 10ms for milliseconds");
  EXPECT_EQ(MistakeInFile("lease: 3s\n").substr(0, 26), "FILE:1: unknown key 'lease");
  EXPECT_EQ(MistakeInFile("file: {path: [a]}\n"), "FILE:1: file.path: one value is expected");
  EXPECT_EQ(MistakeInFile("file: {path: a, path: b}\n"), "FILE:1: file.path is given twice");
  EXPECT_EQ(MistakeInFile("- a\n"), "FILE: not a map of keys and values");
  EXPECT_THAT(MistakeInFile("a: [\n"), HasSubstr(": not YAML: "));
  EXPECT_THAT(MistakeInFile("\tfile: x\n"), HasSubstr(": not YAML: "));
  EXPECT_THAT(MistakeInFile("metadata: 3\n"), HasSubstr("a map of keys and values is expected"));
  EXPECT_EQ(MistakeInFile(""), "none");
}

TEST_F(Configuration, AliasesInTheFileAreBounded) {
  // Each level names the one above ten times: ten million keys in half a kilobyte.
  std::string text = "a0: &a0 {}\n";
  for (int level = 1; level <= 7; ++level) {
    const std::string alias = ": *a" + std::to_string(level - 1);
    text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " {";
    for (char key = 'b'; key <= 'k'; ++key) text += std::string(key == 'b' ? "" : ", ") + key + alias;
    text += "}\n";
  }
  EXPECT_EQ(MistakeInFile(text), "FILE: too many keys");
  EXPECT_EQ(MistakeInFile("a: &a {b: {}}\nc: *a\n"), "none");
}

TEST_F(Configuration, VariablesOfAKubernetesServiceAreLeftAlone) {
  EXPECT_EQ(MistakeOf([] {
              (void)Configure(kRun, {},
                              {{"LEADER_ELECTOR_SERVICE_HOST", "10.0.0.1"},
                               {"LEADER_ELECTOR_SERVICE_PORT_HTTP", "80"},
                               {"LEADER_ELECTOR_PORT", "tcp://10.0.0.1:80"},
                               {"LEADER_ELECTOR_PORT_80_TCP_ADDR", "10.0.0.1"},
                               {"LEADER_ELECTOR_REDIS_SERVICE_HOST", "10.0.0.2"}});
            }),
            "none");
}

TEST(Durations, AreReadWithTheirUnits) {
  const std::pair<const char*, std::chrono::milliseconds> cases[] = {
      {"15s", 15s}, {"500ms", 500ms}, {"1m30s", 90s}, {"1.5s", 1500ms}, {"2h", 2h}, {"0s", 0s}, {"0.25s", 250ms}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(ParseDuration(text, "x"), expected) << text;
}

TEST(Durations, AreRefusedWithoutAUnitOrSense) {
  EXPECT_EQ(MistakeOf([] { (void)ParseDuration("10", "--x"); }),
            "--x: '10' has no unit; write 10s for seconds or 10ms for milliseconds");
  for (const char* wrong :
       {"", "s", "-3s", "3 s", "3S", "3d", "1s30", "nan", "infs", "1e3s", "0x1s", "3s ", "99999999h"}) {
    EXPECT_THAT(MistakeOf([&] { (void)ParseDuration(wrong, "--x"); }), testing::StartsWith("--x: '")) << wrong;
  }
}

// One line that says what to do, and code 2.
TEST(BadInput, IsOneLineThatSaysWhatToDo) {
  const Folder folder;
  const std::string lock = folder / "lock";
  const std::string nowhere = folder / "missing" / "lock";
  std::ofstream(folder / "garbage") << "not a record";
  const std::string garbage = folder / "garbage";
  const struct {
    std::vector<std::string> arguments;
    Environment environment;
    std::string says;
  } cases[] = {
      {{}, {}, "leader-elector --help lists the commands"},
      {{"rum"}, {}, "unknown command 'rum'; did you mean 'run'?"},
      {{"--lock=file", "run"}, {}, "the command comes first"},
      {{"run", "--leese-duration=3s", "--", "true"},
       {},
       "unknown flag --leese-duration; did you mean '--lease-duration'?"},
      {{"run", "--lease-duration", "10", "--", "true"}, {}, "'10' has no unit"},
      {{"run", "--lease-duration"}, {}, "--leader-elect-lease-duration needs a value"},
      {{"run", "--lock=file", "--lock=file", "--", "true"}, {}, "--lock is given twice"},
      {{"run", "--lock=fiel", "--", "true"}, {}, "'fiel' is none of lease, redis, consul, file; did you mean 'file'?"},
      {{"run", "--lock=file", "--lock-file=" + lock}, {}, "what is to be run is missing"},
      {{"run", "--lock=file", "--lock-file=" + lock, "true"}, {}, "goes behind --"},
      {{"run", "--lock=file", "--lock-file=" + lock, "--", "no-such-program"},
       {},
       "cannot find no-such-program in $PATH"},
      {{"run", "--lock=file", "--lock-file=" + lock, "--", "/no/such"}, {}, "cannot execute /no/such"},
      {{"status", "--grace-period=3s"}, {}, "--grace-period is an option of another command"},
      {{"status", "--", "true"}, {}, "belongs to run"},
      {{"status", "--lock=file"}, {}, "--lock-file is missing"},
      {{"status", "--lock-file=", "--lock=file"}, {}, "--lock-file needs a value"},
      {{"status", "--lock=file", "--lock-file=" + nowhere}, {}, "No such file or directory; create it"},
      {{"status", "--lock=file", "--lock-file=" + garbage}, {}, "choose another name or remove it"},
      {{"observe", "--lock=file", "--lock-file=" + nowhere}, {}, "No such file or directory; create it"},
      {{"step-down", "--lock=file", "--lock-file=" + nowhere}, {}, "No such file or directory; create it"},
      {{"status", "--lock=file", "--lock-file=" + garbage + "/lock"}, {}, "Not a directory; create it"},
      {{"run", "--config", nowhere, "--", "true"}, {}, "cannot read configuration file " + nowhere + ": No such file"},
      {{"status", "--config", nowhere}, {}, "cannot read configuration file " + nowhere + ": No such file"},
      {{"status", "--config", "/"}, {}, "cannot read configuration file /"},
      {{"status"}, {{"LEADER_ELECTOR_LOKC", "file"}}, "LEADER_ELECTOR_LOKC; did you mean 'LEADER_ELECTOR_LOCK'?"},
      {{"status"}, {{"LEADER_ELECTOR_TIMEOUT", "3"}}, "LEADER_ELECTOR_TIMEOUT: '3' has no unit"},
      {{"demo", "fast"}, {}, "'fast' is not expected here"},
  };
  for (const auto& test : cases) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(command::Run(test.arguments, test.environment, out, err), 2) << test.says;
    EXPECT_THAT(err.str(), HasSubstr(test.says));
    EXPECT_THAT(err.str(), testing::StartsWith("leader-elector: "));
    EXPECT_EQ(err.str().find('\n'), err.str().size() - 1) << err.str();
    EXPECT_EQ(out.str(), "");
  }
}

#ifdef LEADER_ELECTOR_REDIS
TEST(BadInput, ARedisThatCannotBeReachedIsSaidSo) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(command::Run({"status", "--lock=redis", "--name=x", "--redis-url=redis://127.0.0.1:1"}, {}, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(err.str(), testing::EndsWith("is the server running, and the address right?\n"));
}

TEST(BadInput, APasswordIsNeverQuoted) {
  for (const char* url : {"redis://u:canary%zz@h:1", "http://u:canary@h", "redis://u:canary@h:port", "canary"}) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(command::Run({"status", "--lock=redis", "--name=x"}, {{"LEADER_ELECTOR_REDIS_URL", url}}, out, err), 2);
    EXPECT_THAT(err.str(), testing::Not(HasSubstr("canary")));
  }
}
#endif

#ifdef LEADER_ELECTOR_CONSUL
TEST(BadInput, AConsulThatCannotBeReachedIsSaidSo) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(command::Run({"status", "--lock=consul", "--name=x", "--consul-address=http://127.0.0.1:1"}, {}, out, err),
            2);
  EXPECT_THAT(err.str(), HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(err.str(), testing::EndsWith("is the server running, and the address right?\n"));
}
#endif

#ifdef LEADER_ELECTOR_LEASE
TEST(BadInput, AMissingKubeconfigIsSaidSo) {
  for (const char* asked : {"observe", "status", "step-down"}) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(command::Run({asked, "--name=x", "--namespace=n", "--kubeconfig=/no/such"}, {}, out, err), 2) << asked;
    EXPECT_THAT(err.str(), testing::StartsWith("leader-elector: no API server to talk to: "));
    EXPECT_THAT(err.str(), HasSubstr("/no/such"));
    EXPECT_EQ(err.str().find('\n'), err.str().size() - 1) << err.str();
  }
}

TEST(BadInput, AnApiServerThatCannotBeReachedIsSaidSo) {
  const Folder folder;
  const std::string kubeconfig = folder / "kubeconfig";
  std::ofstream(kubeconfig) << R"({"apiVersion": "v1", "kind": "Config", "current-context": "c",
      "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
      "users": [{"name": "u", "user": {}}],
      "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "default"}}]})";
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(command::Run({"status", "--name=x", "--kubeconfig", kubeconfig}, {}, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(err.str(), testing::EndsWith("is the server running, and the address right?\n"));
}
#endif

TEST(Help, IsAPageForEachCommand) {
  for (const char* name : {"run", "observe", "status", "step-down"}) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(command::Run({name, "--help"}, {}, out, err), 0);
    EXPECT_THAT(out.str(), testing::StartsWith("leader-elector " + std::string(name)));
    EXPECT_EQ(err.str(), "");
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(command::Run({"--help"}, {}, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr("Commands:"));
}

}  // namespace
}  // namespace leaderelection::command

// example-operator's command line: one line that says what is wrong, and code 2.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "operator.h"

namespace example_operator {
namespace {

using ::testing::HasSubstr;

TEST(Run, WhatCannotGoWellIsOneLine) {
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{"--leese=x"}, "--leese=x; see example-operator --help"},
      {{"--lease-seconds=soon"}, "soon"},
      {{"--lease-seconds=0"}, "1 to 3600"},
      {{}, "KUBERNETES_SERVICE_HOST"},
  };
  for (const auto& test : cases) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(example_operator::Run(test.arguments, out, err), 2) << test.says;
    EXPECT_THAT(err.str(), HasSubstr(test.says));
    EXPECT_THAT(err.str(), testing::StartsWith("example-operator: "));
    EXPECT_EQ(err.str().find('\n'), err.str().size() - 1) << err.str();
    EXPECT_EQ(out.str(), "");
  }
}

TEST(Run, AFolderWithoutAnAccountIsNamed) {
  ::setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "1", 1);
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(example_operator::Run({"--service-account=/no/such"}, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("/no/such"));
}

TEST(Run, HelpNamesEveryOption) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(example_operator::Run({"--help"}, out, err), 0);
  for (const char* flag : {"--lease", "--identity", "--lease-seconds", "--service-account", "--admin-address"}) {
    EXPECT_THAT(out.str(), HasSubstr(flag));
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace example_operator

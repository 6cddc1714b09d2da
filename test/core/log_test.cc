#include "leaderelection/log.h"

#include <gtest/gtest.h>

#include <string>

namespace leaderelection {
namespace {

std::string Line(std::string_view key, std::string value) {
  return ToLogfmt({.level = LogLevel::kInfo, .message = "m", .fields = {{key, std::move(value)}}});
}

TEST(Logfmt, IsOneLineOfLevelMessageAndFieldsInTheirOrder) {
  EXPECT_EQ(ToLogfmt({.level = LogLevel::kInfo,
                      .message = "became leader",
                      .fields = {{"lock", "default/demo"}, {"identity", "a"}, {"fencing_token", "7"}}}),
            R"(level=info msg="became leader" lock=default/demo identity=a fencing_token=7)");
}

TEST(Logfmt, NamesEveryLevel) {
  EXPECT_EQ(ToLogfmt({.level = LogLevel::kDebug, .message = "m"}), "level=debug msg=m");
  EXPECT_EQ(ToLogfmt({.level = LogLevel::kInfo, .message = "m"}), "level=info msg=m");
  EXPECT_EQ(ToLogfmt({.level = LogLevel::kWarning, .message = "m"}), "level=warning msg=m");
  EXPECT_EQ(ToLogfmt({.level = LogLevel::kError, .message = "m"}), "level=error msg=m");
}

TEST(Logfmt, QuotesAndEscapesValues) {
  const struct {
    std::string value;
    std::string_view written;
  } cases[] = {
      {"plain-1.0/x:y", "plain-1.0/x:y"},
      {"", R"("")"},
      {"two words", R"("two words")"},
      {"a=b", R"("a=b")"},
      {R"(say "no")", R"("say \"no\"")"},
      {R"(back\slash)", R"("back\\slash")"},
      {"line\nbreak\r\ttab", R"("line\nbreak\r\ttab")"},
      {std::string("nul\0.", 5), R"("nul\u0000.")"},
      {"\x1b[31mred\x7f", R"("\u001b[31mred\u007f")"},
      {"z\u00fcrich", "z\u00fcrich"},
  };
  for (const auto& test : cases) EXPECT_EQ(Line("k", test.value), "level=info msg=m k=" + std::string(test.written));
}

TEST(Logfmt, NoKeyBreaksTheLine) {
  EXPECT_EQ(Line("a key=\"\n", "v"), "level=info msg=m a_key___=v");
  EXPECT_EQ(Line("", "v"), "level=info msg=m _=v");
}

}  // namespace
}  // namespace leaderelection

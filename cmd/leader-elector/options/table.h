// All that can be configured, in one table: flags, environment variables, the YAML file, --help and the table in README
// are made from it.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace leaderelection::command {

enum class Kind {
  kText,
  kDuration,  // 15s, 500ms, 1m30s
  kChoice,    // one of `value`, separated by |
  kPairs,     // key=value, again and again; a map in the YAML file
};

// Which commands know an option.
enum Command : unsigned { kRun = 1, kObserve = 2, kStatus = 4, kStepDown = 8 };
inline constexpr unsigned kAll = kRun | kObserve | kStatus | kStepDown;

struct Option {
  std::string_view section;     // of --help
  std::string_view flag;        // without dashes; Kubernetes' name where its components have one
  std::string_view short_flag;  // another, shorter one; may be a letter; may be missing
  std::string_view variable;
  std::string_view key;  // in the YAML file; missing if it makes no sense there
  Kind kind = Kind::kText;
  std::string_view value;     // what stands for the value in --help
  std::string_view fallback;  // the default, as one would write it
  unsigned commands = kAll;
  std::string_view help;
};

[[nodiscard]] std::span<const Option> Options();

// By any of its names, as written in a flag. Null if there is none.
[[nodiscard]] const Option* FindOption(std::string_view flag);

// What a user would write first: "--lease-duration".
[[nodiscard]] std::string ShortName(const Option& option);

}  // namespace leaderelection::command

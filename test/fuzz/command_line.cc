// The command line and the environment of leader-elector. The first byte is the command; each line is an argument,
// or, if it begins with LEADER_ELECTOR_, a variable.

#include <algorithm>

#include "fuzz/target.h"
#include "options/duration.h"
#include "options/values.h"
#include "usage_error.h"

namespace leaderelection::fuzz {

namespace {

using command::Command;
using Words = std::vector<std::string>;

// What was given as --flag=value arrives as it was typed.
void RequireVerbatim(const Words& arguments, const command::ValueMap& values) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const bool has_value = argument.starts_with("--") && equals != std::string::npos;
    // Behind a flag without a value it may be that value.
    const bool may_be_value = i > 0 && arguments[i - 1].starts_with('-');
    const command::Option* option = has_value ? command::FindOption(argument.substr(2, equals - 2)) : nullptr;
    if (option == nullptr || may_be_value) continue;
    const auto found = values.find(option->flag);
    Require(found != values.end(), "a flag that was taken has a value");
    const Words& texts = found->second.texts;
    Require(std::find(texts.begin(), texts.end(), argument.substr(equals + 1)) != texts.end(),
            "a value arrives as it was typed");
  }
}

void ReadFlags(Command command, const Words& arguments) {
  try {
    RequireVerbatim(arguments, command::FromFlags(command, arguments));
  } catch (const command::UsageError& error) {
    Require(error.what()[0] != '\0', "a failure says why");
  }
}

void ReadAll(Command command, Words arguments, const command::Environment& environment) {
  // Files are the other target's. A stray word is quoted, and must be: the secret is only one where it belongs.
  const auto spoils = [](const std::string& text) {
    return text.find("config") != std::string::npos || text.find(kSecret) != std::string::npos;
  };
  if (std::any_of(arguments.begin(), arguments.end(), spoils)) return;
  if (std::any_of(environment.begin(), environment.end(), [&](const auto& set) { return spoils(set.second); })) return;
  arguments.insert(arguments.begin(), "--redis-url=redis://a:" + std::string(kSecret) + "@b");
  try {
    const auto values = command::Configure(command, arguments, environment);
    Require(values.Text("redis-url").find(kSecret) != std::string::npos, "a flag wins over a variable");
    const auto lease = values.Duration("leader-elect-lease-duration");
    Require(lease.count() >= 0 && lease <= std::chrono::hours(24 * 365), "a duration has its bounds");
    Require(command::ParseDuration(command::FormatDuration(lease), "") == lease, "what was written is read as it was");
  } catch (const command::UsageError& error) {
    RequireNoSecret(error.what());
  }
}

}  // namespace

void Fuzz(std::string_view input) {
  Pieces pieces(input);
  const auto command = static_cast<Command>(1U << (pieces.Byte() % 4U));
  Words arguments;
  command::Environment environment;
  while (!pieces.AtEnd()) {
    const std::string line(pieces.Line());
    const std::size_t equals = line.find('=');
    if (line.starts_with("LEADER_ELECTOR_") && equals != std::string::npos) {
      if (line.find("CONFIG=") == std::string::npos)
        environment.emplace(line.substr(0, equals), line.substr(equals + 1));
    } else {
      arguments.push_back(line);
    }
  }
  ReadFlags(command, arguments);
  ReadAll(command, std::move(arguments), environment);
}

}  // namespace leaderelection::fuzz

#include <CLI/CLI.hpp>
#include <algorithm>

#include "options/suggestion.h"
#include "options/values.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

std::string CliNames(const Option& option) {
  std::string names = "--" + std::string(option.flag);
  if (!option.short_flag.empty())
    names += (option.short_flag.size() == 1 ? ",-" : ",--") + std::string(option.short_flag);
  return names;
}

std::string WithoutValue(const std::string& argument) { return argument.substr(0, argument.find('=')); }

[[noreturn]] void ThrowUnknown(Command command, const std::string& argument) {
  const std::string flag = WithoutValue(argument);
  if (!flag.starts_with('-')) {
    throw UsageError("'" + argument + "' is not expected here" +
                     (command == kRun ? "; what is to be run goes behind --" : ""));
  }
  const std::string name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  if (FindOption(name) != nullptr) throw UsageError(flag + " is an option of another command; see --help");
  std::vector<std::string> names;
  for (const Option& option : Options()) {
    if ((option.commands & command) == 0) continue;
    names.push_back("--" + std::string(option.flag));
    if (option.short_flag.size() > 1) names.push_back("--" + std::string(option.short_flag));
  }
  throw UsageError("unknown flag " + flag + Suggestion(flag, names));
}

}  // namespace

ValueMap FromFlags(Command command, const std::vector<std::string>& arguments) {
  // CLI11 would take the next argument for the value.
  for (const std::string& argument : arguments) {
    const std::string flag = WithoutValue(argument);
    if (argument.starts_with("--") && argument == flag + "=") throw UsageError(flag + " needs a value");
  }
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::map<const Option*, std::vector<std::string>> found;
  for (const Option& option : Options()) {
    if ((option.commands & command) == 0) continue;
    CLI::Option* flag = app.add_option(CliNames(option), found[&option]);
    flag->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->expected(1)->allow_extra_args(false);
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    throw UsageError(what.substr(0, what.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  for (const std::string& argument : app.remaining()) ThrowUnknown(command, argument);

  ValueMap values;
  for (auto& [option, texts] : found) {
    if (texts.empty()) continue;
    if (texts.size() > 1 && option->kind != Kind::kPairs) throw UsageError(ShortName(*option) + " is given twice");
    values[option->flag] = {std::move(texts), ShortName(*option)};
  }
  return values;
}

}  // namespace leaderelection::command

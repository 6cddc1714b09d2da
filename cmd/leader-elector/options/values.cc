#include "options/values.h"

#include <algorithm>
#include <stdexcept>

#include "options/duration.h"
#include "options/suggestion.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

const Option& Known(std::string_view flag) {
  const Option* option = FindOption(flag);
  if (option == nullptr || option->flag != flag) throw std::logic_error("no option " + std::string(flag));
  return *option;
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0;;) {
    const std::size_t end = text.find(separator, from);
    parts.emplace_back(text.substr(from, end - from));
    if (end == std::string_view::npos) return parts;
    from = end + 1;
  }
}

void CheckChoice(const Option& option, const Value& value) {
  const std::vector<std::string> choices = Split(option.value, '|');
  const std::string& text = value.texts.front();
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
  std::string all;
  for (const std::string& choice : choices) all += (all.empty() ? "" : ", ") + choice;
  throw UsageError(value.source + ": '" + text + "' is none of " + all + Suggestion(text, choices));
}

void CheckPairs(const Value& value) {
  for (const std::string& text : value.texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw UsageError(value.source + ": '" + text + "' is not key=value");
    }
  }
}

void Check(const Option& option, const Value& value) {
  switch (option.kind) {
    case Kind::kText:
      return;
    case Kind::kDuration:
      (void)ParseDuration(value.texts.front(), value.source);
      return;
    case Kind::kChoice:
      CheckChoice(option, value);
      return;
    case Kind::kPairs:
      CheckPairs(value);
      return;
  }
}

}  // namespace

bool Values::Given(std::string_view flag) const { return values_.contains(Known(flag).flag); }

std::string Values::Text(std::string_view flag) const {
  const Option& option = Known(flag);
  const auto found = values_.find(flag);
  return found == values_.end() ? std::string(option.fallback) : found->second.texts.front();
}

std::chrono::milliseconds Values::Duration(std::string_view flag) const {
  return ParseDuration(Text(flag), Source(flag));
}

Metadata Values::Pairs(std::string_view flag) const {
  const auto found = values_.find(Known(flag).flag);
  Metadata pairs;
  if (found == values_.end()) return pairs;
  for (const std::string& text : found->second.texts) {
    const std::size_t equals = text.find('=');
    pairs[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return pairs;
}

std::string Values::Source(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? ShortName(Known(flag)) : found->second.source;
}

Values Configure(Command command, const std::vector<std::string>& arguments, const Environment& environment) {
  ValueMap flags = FromFlags(command, arguments);
  ValueMap variables = FromEnvironment(environment);
  ValueMap values = std::move(flags);
  values.merge(variables);
  if (const auto config = values.find("config"); config != values.end()) {
    ValueMap file = FromFile(config->second.texts.front());
    values.merge(file);
  }
  for (const auto& [flag, value] : values) Check(Known(flag), value);
  return Values(std::move(values));
}

}  // namespace leaderelection::command

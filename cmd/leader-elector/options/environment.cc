#include <unistd.h>

#include <algorithm>

#include "options/suggestion.h"
#include "options/values.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

constexpr std::string_view kPrefix = "LEADER_ELECTOR_";

// A Service called leader-elector puts such variables into every pod of its namespace: LEADER_ELECTOR_SERVICE_HOST,
// LEADER_ELECTOR_PORT_8080_TCP_ADDR and the like.
bool IsOfAService(std::string_view name) {
  return name.find("_SERVICE_HOST") != std::string_view::npos || name.find("_SERVICE_PORT") != std::string_view::npos ||
         name.ends_with("_PORT") || name.find("_PORT_") != std::string_view::npos;
}

std::vector<std::string> Texts(const Option& option, const std::string& text) {
  if (option.kind != Kind::kPairs) return {text};
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

}  // namespace

Environment ProcessEnvironment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

// A variable for another command is no mistake: an environment is shared. An empty one is as good as none.
ValueMap FromEnvironment(const Environment& environment) {
  ValueMap values;
  for (const auto& [name, text] : environment) {
    if (!name.starts_with(kPrefix) || text.empty()) continue;
    const auto options = Options();
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&variable = name](const Option& option) { return option.variable == variable; });
    if (found != options.end()) {
      values[found->flag] = {Texts(*found, text), name};
    } else if (!IsOfAService(name)) {
      std::vector<std::string> names;
      for (const Option& option : options) names.emplace_back(option.variable);
      throw UsageError("unknown environment variable " + name + Suggestion(name, names));
    }
  }
  return values;
}

}  // namespace leaderelection::command

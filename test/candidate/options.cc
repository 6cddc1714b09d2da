#include "candidate/options.h"

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>

#include "leaderelection/leader_elector.h"

namespace leaderelection::candidate {
namespace {

// "15s", "500ms".
std::chrono::milliseconds ParseDuration(const std::string& text) {
  std::int64_t number = 0;
  const auto [unit, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(unit, text.data() + text.size() - unit);
  if (error == std::errc() && rest == "ms") return std::chrono::milliseconds(number);
  if (error == std::errc() && rest == "s") return std::chrono::seconds(number);
  throw std::invalid_argument("'" + text + "' is no duration such as 15s or 500ms");
}

}  // namespace

Options ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  options.identity = DefaultIdentity();
  const std::map<std::string, bool*> switches = {{"--release-on-cancel", &options.release_on_cancel},
                                                 {"--again", &options.again},
                                                 {"--unguarded", &options.unguarded},
                                                 {"--check", &options.check},
                                                 {"--verbose", &options.verbose}};
  std::string locks = "1";
  const std::map<std::string, std::string*> texts = {{"--file", &options.file},
                                                     {"--redis", &options.redis},
                                                     {"--consul", &options.consul},
                                                     {"--kubeconfig", &options.kubeconfig},
                                                     {"--namespace", &options.lease_namespace},
                                                     {"--name", &options.name},
                                                     {"--identity", &options.identity},
                                                     {"--locks", &locks},
                                                     {"--validity-log", &options.validity_log},
                                                     {"--register", &options.register_address},
                                                     {"--register-key", &options.register_key}};
  const std::map<std::string, std::chrono::milliseconds*> durations = {{"--lease-duration", &options.lease_duration},
                                                                       {"--renew-deadline", &options.renew_deadline},
                                                                       {"--retry-period", &options.retry_period},
                                                                       {"--think", &options.think}};
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string& flag = arguments[index];
    if (const auto found = switches.find(flag); found != switches.end()) {
      *found->second = true;
      continue;
    }
    if (index + 1 == arguments.size()) throw std::invalid_argument("do not understand " + flag);
    const std::string& value = arguments[++index];
    if (const auto found = texts.find(flag); found != texts.end()) {
      *found->second = value;
    } else if (const auto duration = durations.find(flag); duration != durations.end()) {
      *duration->second = ParseDuration(value);
    } else {
      throw std::invalid_argument("do not understand " + flag);
    }
  }
  options.locks = std::stoi(locks);
  return options;
}

}  // namespace leaderelection::candidate

#include "options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <stdexcept>

namespace example_operator {

std::optional<Options> ParseOptions(std::vector<std::string> arguments, std::ostream& out) {
  Options options;
  unsigned seconds = 15;
  CLI::App app(
      "Keeps a checksum of every ConfigMap with the label example.leaderelection/managed=true, in its namespace.",
      "example-operator");
  app.add_option("--lease", options.lease, "The Lease that its replicas share")->capture_default_str();
  app.add_option("--identity", options.identity, "Who it is; must differ between replicas [hostname_pid_random]");
  app.add_option("--lease-seconds", seconds, "How long the others wait for a leader that shows no sign of life")
      ->check(CLI::Range(1U, 3600U))
      ->capture_default_str();
  app.add_option("--service-account", options.service_account, "The folder of token, ca.crt and namespace")
      ->capture_default_str();
  app.add_option("--admin-address", options.admin_address, "Where /healthz and the like are served; port 0: a free one")
      ->capture_default_str();
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back.
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return std::nullopt;
  } catch (const CLI::ParseError& wrong) {
    throw std::invalid_argument(std::string(wrong.what()) + "; see example-operator --help");
  }
  options.lease_duration = std::chrono::seconds(seconds);
  return options;
}

}  // namespace example_operator

#include <prometheus/registry.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <ostream>
#include <regex>
#include <sstream>

#include "child/supervisor.h"
#include "commands.h"
#include "leaderelection/admin_server.h"
#include "leaderelection/leader_elector.h"
#include "locks/locks.h"
#include "logging.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

// A follower would find out only when it comes to lead.
void CheckCommand(const std::vector<std::string>& command) {
  if (command.empty() || command.front().empty()) {
    throw UsageError("what is to be run is missing: leader-elector run [options] -- COMMAND [ARGUMENT...]");
  }
  const std::string& program = command.front();
  if (program.find('/') != std::string::npos) {
    if (::access(program.c_str(), X_OK) != 0) throw UsageError("cannot execute " + program);
    return;
  }
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access(((folder.empty() ? "." : folder) + "/" + program).c_str(), X_OK) == 0) return;
  }
  throw UsageError("cannot find " + program + " in $PATH");
}

AdminServerOptions::StepDown ToStepDown(const std::string& who) {
  if (who == "this-host") return AdminServerOptions::StepDown::kThisHost;
  if (who == "everybody") return AdminServerOptions::StepDown::kEverybody;
  return AdminServerOptions::StepDown::kNobody;
}

std::unique_ptr<AdminServer> StartAdmin(const Values& values, const std::shared_ptr<prometheus::Registry>& registry) {
  const std::string address = values.Text("admin-address");
  if (address == "off") return nullptr;
  auto server = AdminServer::Start(
      {.address = address, .step_down = ToStepDown(values.Text("admin-step-down")), .registry = registry});
  if (!server.ok()) throw UsageError(values.Source("admin-address") + ": " + server.error().message);
  return std::move(server).value();
}

// Where others reach the server. One that listens on all addresses is known by the host's name, for want of better.
std::string Advertised(const Values& values, const AdminServer& server) {
  if (values.Given("admin-advertise-address")) return values.Text("admin-advertise-address");
  const std::string& address = server.address();
  if (!address.starts_with("0.0.0.0:") && !address.starts_with("[::]:")) return address;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return address;
  return host.data() + address.substr(address.rfind(':'));
}

std::string Entry(const std::string& key, const std::string& value) { return key + "=" + value + '\0'; }

// A wrong duration is named as a field by the library, and as a flag here.
std::string InFlags(const std::string& message) {
  std::string text = std::regex_replace(message, std::regex("^LeaderElectionConfig: "), "");
  for (const char* field : {"lease_duration", "renew_deadline", "retry_period", "renew_interval", "identity"}) {
    std::string flag = std::string("--") + field;
    std::replace(flag.begin(), flag.end(), '_', '-');
    text = std::regex_replace(text, std::regex(std::string("\\b") + field), flag);
  }
  return text;
}

}  // namespace

int RunWhileLeading(const Values& values, const std::vector<std::string>& command, std::ostream& err) {
  CheckCommand(command);
  const auto grace = values.Duration("grace-period");
  LeaderElectionConfig config;
  config.lease_duration = values.Duration("leader-elect-lease-duration");
  config.renew_deadline = values.Duration("leader-elect-renew-deadline");
  config.retry_period = values.Duration("leader-elect-retry-period");
  config.renew_interval = values.Duration("renew-interval");
  config.release_on_cancel = true;
  config.drain_timeout = grace + std::chrono::seconds(30);
  config.metadata = values.Pairs("metadata");
  if (values.Given("identity")) config.identity = values.Text("identity");

  // Forks, so it comes before everything that has threads.
  Supervisor supervisor({.command = command,
                         .grace_period = grace,
                         .lease_duration = config.lease_duration,
                         .renew_deadline = config.renew_deadline});

  config.log = MakeLog(values, err);
  config.lock = MakeLock(values, config.log);
  const auto registry = std::make_shared<prometheus::Registry>();
  config.metrics = supervisor.Extending(MakePrometheusMetrics(registry));
  const std::unique_ptr<AdminServer> admin = StartAdmin(values, registry);
  std::string common =
      Entry("LEADER_ELECTION_IDENTITY", config.identity) + Entry("LEADER_ELECTION_LOCK", config.lock->Describe());
  if (admin) {
    config.metadata["admin-address"] = Advertised(values, *admin);
    common += Entry("LEADER_ELECTION_ADMIN_ADDRESS", admin->address());
    config.log({LogLevel::kInfo, "serving admin endpoints", {{"address", admin->address()}}});
  }
  config.callbacks.on_started_leading = [&](const Term& term) {
    supervisor.Work(term, common + Entry("LEADER_ELECTION_FENCING_TOKEN", std::to_string(term.fencing_token())));
  };

  const LogSink log = config.log;
  try {
    LeaderElector elector(std::move(config));
    if (admin) admin->Add(elector);
    const int code = supervisor.Serve(elector, log);
    if (admin) admin->Remove(elector);
    return code;
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(InFlags(wrong.what()));
  }
}

}  // namespace leaderelection::command

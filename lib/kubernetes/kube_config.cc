#include "leaderelection/kube_config.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "kubernetes/kube_settings.h"
#include "kubernetes/kubeconfig.h"
#include "kubernetes/read_file.h"

namespace leaderelection {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value ? value : "";
}

std::vector<fs::path> FilesOfUser() {
  std::vector<fs::path> files;
  const std::string listed = Variable("KUBECONFIG");
  for (std::string_view rest = listed; !rest.empty();) {
    const std::size_t end = rest.find(':');
    if (end != 0) files.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (listed.empty() && !Variable("HOME").empty()) files.push_back(fs::path(Variable("HOME")) / ".kube" / "config");
  return files;
}

std::string Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

Error Invalid(std::string message) { return {ErrorCode::kInvalid, std::move(message), std::nullopt}; }

Result<KubeConfig> Made(KubeSettings settings) {
  return KubeConfig(std::make_shared<const KubeSettings>(std::move(settings)));
}

}  // namespace

KubeConfig::KubeConfig(std::shared_ptr<const KubeSettings> settings) : settings_(std::move(settings)) {}

const std::string& KubeConfig::server() const { return settings_->server_text; }
const std::string& KubeConfig::default_namespace() const { return settings_->default_namespace; }

Result<KubeConfig> KubeConfig::Load(const std::string& context) {
  auto settings = ReadKubeconfig(FilesOfUser(), context);
  if (settings) return Made(std::move(settings).value());
  if (settings.error().code != ErrorCode::kNotFound) return settings.error();
  const std::string no_file = settings.error().message;
  if (!context.empty()) return Invalid("there is no context '" + context + "': " + no_file);
  auto in_cluster = InCluster();
  if (in_cluster) return in_cluster;
  return Invalid("there is neither a kubeconfig (" + no_file + ") nor a pod's own configuration (" +
                 in_cluster.error().message + ")");
}

Result<KubeConfig> KubeConfig::FromFiles(const std::vector<fs::path>& files, const std::string& context) {
  auto settings = ReadKubeconfig(files, context);
  if (!settings) return Invalid(settings.error().message);
  return Made(std::move(settings).value());
}

Result<KubeConfig> KubeConfig::InCluster(const fs::path& service_account) {
  const std::string host = Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Invalid("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must both be set");
  }
  KubeSettings settings;
  const bool is_v6 = host.find(':') != std::string::npos;
  settings.server_text = "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + port;
  auto server = ParseServerUrl(settings.server_text);
  if (!server) return Invalid("KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is wrong: " + server.error().message);
  settings.server = std::move(server).value();

  const fs::path folder = fs::absolute(service_account);
  settings.tls.ca_file = folder / "ca.crt";
  if (const auto ca = ReadSmallFile("service account's CA", settings.tls.ca_file); !ca) {
    return Invalid(ca.error().message);
  }
  settings.token_file = folder / "token";
  const auto token = ReadSmallFile("service account's token", settings.token_file);
  if (!token) return Invalid(token.error().message);
  if (Trimmed(*token).empty()) return Invalid("the service account's token " + settings.token_file + " is empty");
  if (const auto name_space = ReadSmallFile("service account's namespace", folder / "namespace"); name_space) {
    settings.default_namespace = Trimmed(*name_space);
  }
  return Made(std::move(settings));
}

}  // namespace leaderelection

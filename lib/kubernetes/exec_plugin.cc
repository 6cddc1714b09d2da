#include "kubernetes/exec_plugin.h"

#include <openssl/crypto.h>

#include "json/base64.h"
#include "json/rfc3339.h"
#include "kubernetes/bounded_json.h"
#include "kubernetes/child_process.h"
#include "kubernetes/read_file.h"

namespace leaderelection {
namespace {

constexpr std::size_t kLargestOutput = 1UL << 20;

Error Denied(const std::string& command, const std::string& message) {
  return {ErrorCode::kDenied, "the exec plugin " + command + " " + message, std::nullopt};
}

// The cluster as the program may want to know it; a file's content is handed on, not its name.
Json ClusterOf(const KubeSettings& settings) {
  Json cluster{{"server", settings.server_text}};
  std::string authority = settings.tls.ca_pem;
  if (authority.empty() && !settings.tls.ca_file.empty()) {
    auto content = ReadSmallFile("CA file", settings.tls.ca_file);
    if (content) authority = std::move(content).value();
  }
  if (!authority.empty()) cluster["certificate-authority-data"] = EncodeBase64(authority);
  if (!settings.tls.server_name.empty()) cluster["tls-server-name"] = settings.tls.server_name;
  if (settings.tls.insecure_skip_verify) cluster["insecure-skip-tls-verify"] = true;
  return cluster;
}

}  // namespace

std::string ExecInfo(const KubeSettings& settings) {
  Json spec{{"interactive", false}};
  if (settings.exec->provide_cluster_info) spec["cluster"] = ClusterOf(settings);
  return Json{{"apiVersion", settings.exec->api_version}, {"kind", "ExecCredential"}, {"spec", spec}}.dump();
}

Result<ExecCredential> ReadExecCredential(std::string_view output, const std::string& api_version) {
  const auto wrong = [](std::string what) {
    return Error{ErrorCode::kDenied, "gave no credential: " + std::move(what), std::nullopt};
  };
  const auto parsed = ParseBoundedJson(output);
  if (!parsed) return wrong("its output is not usable, " + parsed.error().message);
  if (TextAt(*parsed, "kind") != "ExecCredential") return wrong("its output is not of kind ExecCredential");
  if (TextAt(*parsed, "apiVersion") != api_version) return wrong("its output is not of version " + api_version);
  const auto status = parsed->find("status");
  if (status == parsed->end() || !status->is_object()) return wrong("its output has no status");
  ExecCredential credential;
  credential.token = net::Secret(TextAt(*status, "token"));
  credential.certificate_pem = TextAt(*status, "clientCertificateData");
  credential.key_pem = net::Secret(TextAt(*status, "clientKeyData"));
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return wrong("clientCertificateData and clientKeyData come together or not at all");
  }
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return wrong("its output has neither a token nor a client certificate");
  }
  if (const std::string expires = TextAt(*status, "expirationTimestamp"); !expires.empty()) {
    credential.expires = ParseRfc3339(expires);
    if (!credential.expires) return wrong("expirationTimestamp is no RFC 3339 time");
  }
  return credential;
}

Result<ExecCredential> RunExecPlugin(const KubeSettings& settings, MonotonicTime deadline, int interruption) {
  const ExecPlugin& plugin = *settings.exec;
  std::vector<std::string> environment;
  for (const auto& [name, value] : plugin.environment) environment.push_back(name + "=" + value.Reveal());
  environment.push_back("KUBERNETES_EXEC_INFO=" + ExecInfo(settings));
  auto output = RunChild({.command = plugin.command,
                          .arguments = plugin.arguments,
                          .environment = environment,
                          .largest_output = kLargestOutput},
                         deadline, interruption);
  for (std::string& entry : environment) OPENSSL_cleanse(entry.data(), entry.size());
  if (!output) return Denied(plugin.command, output.error().message);
  std::string text = std::move(output).value();
  auto credential = ReadExecCredential(text, plugin.api_version);
  OPENSSL_cleanse(text.data(), text.size());
  if (!credential) return Denied(plugin.command, credential.error().message);
  return credential;
}

}  // namespace leaderelection

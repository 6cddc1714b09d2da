#include "kubernetes/kubeconfig.h"

#include <map>
#include <optional>
#include <utility>

#include "json/base64.h"
#include "kubernetes/bounded_yaml.h"
#include "kubernetes/read_file.h"

namespace leaderelection {
namespace {

namespace fs = std::filesystem;

struct Entry {
  YamlMap content;
  fs::path folder;  // what relative paths in it are relative to
};
using Entries = std::map<std::string, Entry>;

struct Merged {
  Entries clusters;
  Entries users;
  Entries contexts;
  std::string current_context;
};

// "clusters" holds entries of the form {name: ..., cluster: {...}}.
void MergeEntries(const YamlMap& file, const fs::path& path, const char* list, const char* kind, Entries& merged) {
  Entries here;
  for (const YamlMap& item : file.Maps(list)) {
    const std::string name = item.Text("name");
    if (name.empty()) throw YamlMismatch{item.name() + " has no name"};
    const std::string called = std::string(kind) + " '" + name + "' in " + path.string();
    YamlMap content(item.Map(kind).Renamed(called));
    if (!here.emplace(name, Entry{std::move(content), path.parent_path()}).second) {
      throw YamlMismatch{called + " is given twice"};
    }
  }
  merged.merge(here);
}

void MergeFile(const fs::path& path, const std::string& text, Merged& merged) {
  auto parsed = ParseBoundedYaml(text);
  if (!parsed) throw YamlMismatch{"the kubeconfig " + path.string() + " cannot be used: " + parsed.error().message};
  const YamlMap file(std::move(parsed).value(), "the kubeconfig " + path.string());
  const std::string kind = file.Text("kind");
  const std::string version = file.Text("apiVersion");
  if ((!kind.empty() && kind != "Config") || (!version.empty() && version != "v1")) {
    throw YamlMismatch{file.name() + " is not of kind Config and apiVersion v1"};
  }
  MergeEntries(file, path, "clusters", "cluster", merged.clusters);
  MergeEntries(file, path, "users", "user", merged.users);
  MergeEntries(file, path, "contexts", "context", merged.contexts);
  if (merged.current_context.empty()) merged.current_context = file.Text("current-context");
}

const Entry& Named(const Entries& entries, const std::string& kind, const std::string& name, const std::string& by) {
  const auto found = entries.find(name);
  if (found == entries.end()) throw YamlMismatch{"there is no " + kind + " '" + name + "'" + by};
  return found->second;
}

std::string PathOf(const Entry& entry, const char* key) {
  const std::string path = entry.content.Text(key);
  return path.empty() ? "" : (entry.folder / path).lexically_normal().string();
}

// Base64, which people and programs break into lines.
std::string DataOf(const Entry& entry, const char* key) {
  std::string text = entry.content.Text(key);
  if (text.empty()) return "";
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  auto bytes = DecodeBase64(text);
  if (!bytes || bytes->empty()) throw YamlMismatch{std::string(key) + " of " + entry.content.name() + " is no base64"};
  return *std::move(bytes);
}

void RefuseIfGiven(const YamlMap& map, const char* key, const char* why) {
  if (map.Has(key)) throw YamlMismatch{std::string(key) + " of " + map.name() + " is not supported" + why};
}

void ReadCluster(const Entry& cluster, KubeSettings& settings) {
  const YamlMap& content = cluster.content;
  RefuseIfGiven(content, "proxy-url", ": connections are made directly");
  settings.server_text = content.Text("server");
  auto server = ParseServerUrl(settings.server_text);
  if (!server) throw YamlMismatch{server.error().message + " (server of " + content.name() + ")"};
  settings.server = std::move(server).value();
  settings.tls.ca_file = PathOf(cluster, "certificate-authority");
  settings.tls.ca_pem = DataOf(cluster, "certificate-authority-data");
  settings.tls.server_name = content.Text("tls-server-name");
  settings.tls.insecure_skip_verify = content.Flag("insecure-skip-tls-verify");
  if (settings.tls.insecure_skip_verify && (!settings.tls.ca_file.empty() || !settings.tls.ca_pem.empty())) {
    throw YamlMismatch{content.name() + " has both a certificate-authority and insecure-skip-tls-verify"};
  }
}

ExecPlugin ReadExec(const YamlMap& exec, const fs::path& folder) {
  ExecPlugin plugin;
  plugin.api_version = exec.Text("apiVersion");
  const bool is_v1 = plugin.api_version == "client.authentication.k8s.io/v1";
  if (!is_v1 && plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    throw YamlMismatch{"apiVersion of " + exec.name() + " is neither client.authentication.k8s.io/v1 nor v1beta1"};
  }
  plugin.command = exec.Text("command");
  if (plugin.command.empty()) throw YamlMismatch{"command of " + exec.name() + " is missing"};
  if (plugin.command.find('/') != std::string::npos) plugin.command = (folder / plugin.command).lexically_normal();
  plugin.arguments = exec.Texts("args");
  for (const YamlMap& variable : exec.Maps("env")) {
    const std::string name = variable.Text("name");
    if (name.empty()) throw YamlMismatch{variable.name() + " has no name"};
    plugin.environment.emplace_back(name, net::Secret(variable.Text("value")));
  }
  const std::string mode = exec.Text("interactiveMode");
  if (mode.empty() && is_v1) throw YamlMismatch{"interactiveMode of " + exec.name() + " is missing"};
  if (mode == "Always") throw YamlMismatch{exec.name() + " asks for a terminal (interactiveMode: Always)"};
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    throw YamlMismatch{"interactiveMode of " + exec.name() + " is none of Never, IfAvailable, Always"};
  }
  plugin.provide_cluster_info = exec.Flag("provideClusterInfo");
  return plugin;
}

void ReadUser(const Entry& user, KubeSettings& settings) {
  const YamlMap& content = user.content;
  for (const char* key : {"username", "password"}) RefuseIfGiven(content, key, ": API servers know no passwords");
  RefuseIfGiven(content, "auth-provider", ": use an exec plugin");
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) RefuseIfGiven(content, key, "");
  settings.tls.certificate_file = PathOf(user, "client-certificate");
  settings.tls.certificate_pem = DataOf(user, "client-certificate-data");
  settings.tls.key_file = PathOf(user, "client-key");
  settings.tls.key_pem = net::Secret(DataOf(user, "client-key-data"));
  settings.token = net::Secret(content.Text("token"));
  settings.token_file = PathOf(user, "tokenFile");
  // As in client-go, a token that is given outright counts before a program that would fetch one.
  if (content.Has("exec") && settings.token.empty() && settings.token_file.empty()) {
    settings.exec = ReadExec(content.Map("exec"), user.folder);
  }
}

bool HasCredentials(const KubeSettings& settings) {
  return !settings.token.empty() || !settings.token_file.empty() || settings.exec ||
         !settings.tls.certificate_file.empty() || !settings.tls.certificate_pem.empty();
}

KubeSettings ReadContext(const Merged& merged, const std::string& wanted) {
  const std::string name = wanted.empty() ? merged.current_context : wanted;
  if (name.empty()) throw YamlMismatch{"no context is asked for and current-context is not set"};
  const YamlMap& context = Named(merged.contexts, "context", name, "").content;
  const std::string by = ", which " + context.name() + " names";
  KubeSettings settings;
  settings.default_namespace = context.Text("namespace");
  ReadCluster(Named(merged.clusters, "cluster", context.Text("cluster"), by), settings);
  if (context.Has("user")) ReadUser(Named(merged.users, "user", context.Text("user"), by), settings);
  if (settings.server.is_plain && HasCredentials(settings)) {
    throw YamlMismatch{"credentials are not sent over plain http (server of cluster '" + context.Text("cluster") +
                       "')"};
  }
  return settings;
}

Result<KubeSettings> Invalid(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

}  // namespace

Result<KubeSettings> ReadKubeconfig(const std::vector<fs::path>& files, const std::string& context) {
  try {
    Merged merged;
    std::string missing;
    bool found = false;
    for (const fs::path& path : files) {
      const auto text = ReadSmallFile("kubeconfig", path.string());
      if (!text && text.error().code != ErrorCode::kNotFound) return Invalid(text.error().message);
      if (!text) {
        missing += (missing.empty() ? "" : "; ") + text.error().message;
        continue;
      }
      found = true;
      MergeFile(fs::absolute(path), *text, merged);
    }
    if (!found) return {ErrorCode::kNotFound, missing.empty() ? "no kubeconfig is named" : missing};
    return ReadContext(merged, context);
  } catch (const YamlMismatch& mismatch) {
    return Invalid(mismatch.what);
  } catch (const YAML::Exception&) {
    return Invalid("a kubeconfig is not of the form it should have");
  }
}

}  // namespace leaderelection

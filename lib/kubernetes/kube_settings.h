// How to reach an API server and who we are there, as read from a kubeconfig or a pod's files.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leaderelection/error.h"
#include "net/endpoint.h"
#include "net/secret.h"
#include "net/tls.h"

namespace leaderelection {

struct ServerUrl {
  net::Endpoint endpoint;
  bool is_plain = false;    // http instead of https
  std::string path_prefix;  // "" or "/k8s/clusters/one", without a slash at its end
};

// Takes http and https with a host, a port and a path. kInvalid says what is wrong and quotes nothing, for such a URL
// may hold a password.
[[nodiscard]] Result<ServerUrl> ParseServerUrl(const std::string& url);

// A program that hands out credentials, by client.authentication.k8s.io.
struct ExecPlugin {
  std::string api_version;
  std::string command;  // found by PATH if it has no slash
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, net::Secret>> environment;  // added to ours
  bool provide_cluster_info = false;
};

struct KubeSettings {
  ServerUrl server;
  std::string server_text;  // as it was written
  net::TlsSettings tls;
  net::Secret token;
  std::string token_file;  // counts before the token once it was read
  std::optional<ExecPlugin> exec;
  std::string default_namespace;  // empty: none is named
};

}  // namespace leaderelection

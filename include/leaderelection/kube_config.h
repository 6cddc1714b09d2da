// How to reach an API server, and who we are there: from a kubeconfig file, or from within a pod.
//
//   auto config = KubeConfig::Load();   // $KUBECONFIG, ~/.kube/config, or the pod's own
//   if (!config) return Fail(config.error().message);
//   auto client = KubeClient::Make(*config);

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "leaderelection/error.h"
#include "leaderelection/export.h"

namespace leaderelection {

struct KubeSettings;

// Immutable; cheap to copy. Reading is all that happens here: files it names are opened, and re-opened when they
// change, by the KubeClient made of it. Every failure is kInvalid and names what is wrong, but quotes no file: no error
// holds a secret.
//
// Understood: server (with a path), certificate-authority(-data), tls-server-name, insecure-skip-tls-verify (the client
// logs a warning); client-certificate(-data), client-key(-data), token, tokenFile, exec plugins of
// client.authentication.k8s.io/v1 and v1beta1 that ask nothing of a terminal.
// Refused, by name: username and password, auth-provider, impersonation (as), proxy-url, credentials over plain http.
// Not read: the HTTPS_PROXY variable.
class LEADERELECTION_EXPORT KubeConfig {
 public:
  // As kubectl: the files that KUBECONFIG lists, or else ~/.kube/config; if there is none of them, InCluster().
  [[nodiscard]] static Result<KubeConfig> Load(const std::string& context = "");

  // Several files count as one: of two entries with one name, and of two current contexts, the earlier file's counts.
  // An empty context is the current one. Files that do not exist are passed over if another does. Two entries of one
  // name in one file, and a context, cluster or user that is missing, are errors. Relative paths are relative to the
  // file that names them.
  [[nodiscard]] static Result<KubeConfig> FromFiles(const std::vector<std::filesystem::path>& files,
                                                    const std::string& context = "");

  // KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, and the service account's files: token, ca.crt, namespace. An
  // error if one of the first four is missing; without a CA nobody is trusted instead of everybody.
  [[nodiscard]] static Result<KubeConfig> InCluster(
      const std::filesystem::path& service_account = "/var/run/secrets/kubernetes.io/serviceaccount");

  [[nodiscard]] const std::string& server() const;  // "https://10.96.0.1:443"
  // The context's namespace, or the pod's; empty if none is named. No lock uses it unless told to.
  [[nodiscard]] const std::string& default_namespace() const;

  [[nodiscard]] const KubeSettings& settings() const { return *settings_; }  // for the library
  explicit KubeConfig(std::shared_ptr<const KubeSettings> settings);         // for the library

 private:
  std::shared_ptr<const KubeSettings> settings_;
};

}  // namespace leaderelection

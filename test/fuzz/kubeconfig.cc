// A kubeconfig file: the input as it is, and once more behind a user whose token is the secret, so that nothing the
// input does can turn the secret into a name.

#include "kubernetes/kubeconfig.h"

#include "fuzz/target.h"

namespace leaderelection::fuzz {

namespace {

bool HasCredentials(const KubeSettings& settings) {
  return !settings.token.empty() || !settings.token_file.empty() || settings.exec ||
         !settings.tls.certificate_file.empty() || !settings.tls.certificate_pem.empty();
}

void RequireSafe(const KubeSettings& settings) {
  Require(!settings.server.is_plain || !HasCredentials(settings), "credentials are not sent over plain http");
  Require(!settings.tls.insecure_skip_verify || (settings.tls.ca_file.empty() && settings.tls.ca_pem.empty()),
          "whoever names an authority has it asked");
  Require(!settings.server.endpoint.host.empty() && settings.server.endpoint.port != 0, "a server can be reached");
  if (settings.exec) Require(!settings.exec->command.empty(), "a plugin is a command");
}

void Read(const InputFile& file, void (*judge)(std::string_view)) {
  const auto settings = ReadKubeconfig({file.path()}, "");
  if (settings) return RequireSafe(*settings);
  Require(settings.error().code == ErrorCode::kInvalid, "a file that cannot be used is invalid");
  judge(settings.error().message);
}

}  // namespace

void Fuzz(std::string_view input) {
  static InputFile file;
  file.Write(input);
  Read(file, [](std::string_view message) { Require(!message.empty(), "a failure says why"); });
  file.Write("apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: " + std::string(kSecret) +
             std::string(input));
  Read(file, RequireNoSecret);
}

}  // namespace leaderelection::fuzz

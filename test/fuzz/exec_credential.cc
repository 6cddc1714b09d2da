// What a program that hands out credentials prints.

#include "fuzz/target.h"
#include "kubernetes/exec_plugin.h"

namespace leaderelection::fuzz {

void Fuzz(std::string_view input) {
  const auto credential = ReadExecCredential(input, "client.authentication.k8s.io/v1");
  if (!credential) {
    Require(credential.error().code == ErrorCode::kDenied, "without a credential access is denied");
    RequireReadable(credential.error().message);
    return RequireNoSecret(credential.error().message);
  }
  Require(!credential->token.empty() || !credential->certificate_pem.empty(), "a credential is one");
  Require(credential->certificate_pem.empty() == credential->key_pem.empty(), "a certificate has its key");
  for (const std::string& text : {credential->token.Reveal(), credential->certificate_pem}) {
    Require(text.size() <= input.size(), "nothing is added to what was printed");
  }
}

}  // namespace leaderelection::fuzz

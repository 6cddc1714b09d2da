#include "consul/credentials.h"

#include <fstream>
#include <iterator>
#include <string>

namespace leaderelection::consul {
namespace {

constexpr std::size_t kLongestToken = 4096;

std::string WithoutBlanks(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Credentials::Credentials(const ConsulOptions& options, bool tls)
    : settings_{.ca_file = options.ca_file,
                .certificate_file = options.certificate_file,
                .key_file = options.key_file,
                .server_name = options.tls_server_name,
                .insecure_skip_verify = options.insecure_skip_verify},
      tls_(tls),
      token_file_(options.token_file),
      tls_files_{WatchedFile(options.ca_file), WatchedFile(options.certificate_file), WatchedFile(options.key_file)},
      token_(options.token) {}

Result<net::Secret> Credentials::Token() {
  const std::lock_guard lock(mutex_);
  if (token_file_.path().empty()) return token_;
  if (token_file_.HasChanged() || token_.empty()) ReadToken();
  if (token_.empty()) return {ErrorCode::kDenied, "there is no token in " + token_file_.path()};
  return token_;
}

void Credentials::ReadToken() {
  std::ifstream file(token_file_.path());
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  net::Secret token(WithoutBlanks(text));
  OPENSSL_cleanse(text.data(), text.size());
  if (!token.empty() && token.Reveal().size() <= kLongestToken) token_ = token;
}

bool Credentials::TlsFilesChanged() {
  bool changed = false;
  for (WatchedFile& file : tls_files_) changed = file.HasChanged() || changed;
  return changed;
}

Result<std::shared_ptr<const net::TlsContext>> Credentials::Tls() {
  const std::lock_guard lock(mutex_);
  if (!tls_) return std::shared_ptr<const net::TlsContext>();
  if (TlsFilesChanged() || !context_) {
    auto made = net::TlsContext::Make(settings_);
    if (made) {
      context_ = std::move(made).value();
    } else if (!context_) {
      return made;
    }
  }
  return context_;
}

}  // namespace leaderelection::consul

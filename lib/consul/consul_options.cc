#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "consul/address.h"
#include "leaderelection/consul_lock.h"

namespace leaderelection {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value != nullptr ? value : "";
}

std::optional<bool> ParseBool(const std::string& text) {
  for (const char* yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

bool BoolVariable(const char* name, bool otherwise, std::string& wrong) {
  const std::string text = Variable(name);
  if (text.empty()) return otherwise;
  const auto value = ParseBool(text);
  if (!value) wrong += std::string("; ") + name + " is neither true nor false";
  return value.value_or(otherwise);
}

}  // namespace

ConsulOptions ConsulOptions::FromEnvironment() {
  std::string wrong;
  ConsulOptions options;
  const std::string address = Variable("CONSUL_HTTP_ADDR");
  if (!address.empty()) options.address = address;
  const bool tls = BoolVariable("CONSUL_HTTP_SSL", false, wrong);
  if (tls && options.address.starts_with("http://")) options.address = options.address.substr(7);
  if (tls && options.address.find("://") == std::string::npos) options.address = "https://" + options.address;
  if (const auto parsed = consul::ParseAddress(options.address); !parsed) {
    wrong += "; CONSUL_HTTP_ADDR " + parsed.error().message;
  }
  options.token_file = Variable("CONSUL_HTTP_TOKEN_FILE");
  // Both may be set; Consul's command lets the file count.
  if (options.token_file.empty()) options.token = Variable("CONSUL_HTTP_TOKEN");
  options.ca_file = Variable("CONSUL_CACERT");
  options.certificate_file = Variable("CONSUL_CLIENT_CERT");
  options.key_file = Variable("CONSUL_CLIENT_KEY");
  if (options.certificate_file.empty() != options.key_file.empty()) {
    wrong += "; of CONSUL_CLIENT_CERT and CONSUL_CLIENT_KEY only one is set";
  }
  options.tls_server_name = Variable("CONSUL_TLS_SERVER_NAME");
  options.insecure_skip_verify = !BoolVariable("CONSUL_HTTP_SSL_VERIFY", true, wrong);
  options.consul_namespace = Variable("CONSUL_NAMESPACE");
  for (const char* unknown : {"CONSUL_CAPATH", "CONSUL_HTTP_AUTH", "CONSUL_PARTITION"}) {
    if (!Variable(unknown).empty()) wrong += std::string("; ") + unknown + " is set but not supported";
  }
  if (!wrong.empty()) throw std::invalid_argument("ConsulOptions: " + wrong.substr(2));
  return options;
}

}  // namespace leaderelection

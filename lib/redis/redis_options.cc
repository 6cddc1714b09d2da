#include "redis/redis_options.h"

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "redis/url.h"

namespace leaderelection {
namespace {

using redis::ParseEndpoint;
using redis::ParseNumber;
using redis::PercentDecode;

constexpr std::uint16_t kPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;
constexpr int kLargestDatabase = 1'000'000;

// Throws them all at once.
class Mistakes {
 public:
  explicit Mistakes(std::string whose) : whose_(std::move(whose)) {}
  void Add(const std::string& mistake) { text_ += (text_.empty() ? "" : "; ") + mistake; }
  void Throw() const {
    if (!text_.empty()) throw std::invalid_argument(whose_ + ": " + text_);
  }

 private:
  const std::string whose_;
  std::string text_;
};

void ReadCredentials(std::string_view text, RedisOptions& options, Mistakes& mistakes) {
  const auto colon = text.find(':');
  const auto username = PercentDecode(text.substr(0, colon));
  const auto password = PercentDecode(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (!username) mistakes.Add("the user name is not percent-encoded");
  if (!password) mistakes.Add("the password is not percent-encoded");
  options.username = username.value_or("");
  options.password = password.value_or("");
}

void ReadUrl(std::string_view url, RedisOptions& options, Mistakes& mistakes) {
  const auto scheme_end = url.find("://");
  const std::string_view scheme = url.substr(0, scheme_end);
  if (scheme_end == std::string_view::npos || (scheme != "redis" && scheme != "rediss"))
    return mistakes.Add("the scheme is neither redis:// nor rediss://");
  options.tls.enabled = scheme == "rediss";
  std::string_view rest = url.substr(scheme_end + 3);
  // A password may hold an @ all the same: the host cannot.
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    ReadCredentials(rest.substr(0, at), options, mistakes);
    rest = rest.substr(at + 1);
  }
  if (rest.find_first_of("?#") != std::string_view::npos) return mistakes.Add("it has a query or a fragment");
  const auto slash = rest.find('/');
  const auto server = ParseEndpoint(rest.substr(0, slash), kPort);
  if (!server) mistakes.Add("the host or the port is wrong");
  options.host = server ? server->host : "";
  options.port = server ? server->port : 0;
  const std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  const auto database = path.empty() ? std::optional<int>(0) : ParseNumber(path, 0, kLargestDatabase);
  if (!database) mistakes.Add("the database is not a number from 0");
  options.database = database.value_or(0);
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    const auto begin = part.find_first_not_of(' ');
    if (begin == std::string_view::npos) continue;
    parts.emplace_back(part.substr(begin, part.find_last_not_of(' ') - begin + 1));
  }
  return parts;
}

// The variables that are set, each read into its field.
class Environment {
 public:
  Environment(const std::string& prefix, Mistakes& mistakes) : prefix_(prefix), mistakes_(mistakes) {}

  const char* Find(const char* name) const {
    const char* value =
        std::getenv((prefix_ + name).c_str());  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    return value && *value ? value : nullptr;
  }
  void Read(const char* name, std::string& field) const {
    if (const char* value = Find(name)) field = value;
  }
  void Read(const char* name, std::vector<std::string>& field) const {
    if (const char* value = Find(name)) field = SplitAtCommas(value);
  }
  void Read(const char* name, bool& field) const {
    const char* value = Find(name);
    if (!value) return;
    field = std::string_view(value) == "true";
    if (!field && std::string_view(value) != "false") mistakes_.Add(prefix_ + name + " is neither true nor false");
  }
  template <class Number>
  void Read(const char* name, int smallest, int largest, Number& field) const {
    const char* value = Find(name);
    if (!value) return;
    const auto number = ParseNumber(value, smallest, largest);
    if (!number) {
      return mistakes_.Add(prefix_ + name + " is not a number from " + std::to_string(smallest) + " to " +
                           std::to_string(largest));
    }
    field = static_cast<Number>(*number);
  }

 private:
  const std::string& prefix_;
  Mistakes& mistakes_;
};

std::vector<net::Endpoint> CheckEndpoints(const std::vector<std::string>& texts, std::uint16_t port, const char* field,
                                          Mistakes& mistakes) {
  std::vector<net::Endpoint> endpoints;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto endpoint = ParseEndpoint(texts[i], port);
    if (endpoint) {
      endpoints.push_back(*std::move(endpoint));
    } else {
      mistakes.Add(std::string(field) + "[" + std::to_string(i) + "] is not host:port");
    }
  }
  return endpoints;
}

std::optional<net::TlsSettings> CheckTls(const RedisTls& tls, const std::string& field, Mistakes& mistakes) {
  const bool has_details = !tls.ca_file.empty() || !tls.certificate_file.empty() || !tls.key_file.empty() ||
                           !tls.server_name.empty() || tls.insecure_skip_verify;
  if (!tls.enabled) {
    // Whoever names a CA believes to be safe.
    if (has_details) mistakes.Add(field + " has settings but is not enabled");
    return std::nullopt;
  }
  net::TlsSettings settings;
  settings.ca_file = tls.ca_file;
  settings.certificate_file = tls.certificate_file;
  settings.key_file = tls.key_file;
  settings.server_name = tls.server_name;
  settings.insecure_skip_verify = tls.insecure_skip_verify;
  if (const auto made = net::TlsContext::Make(settings); !made) mistakes.Add(field + ": " + made.error().message);
  return settings;
}

void CheckPlace(const RedisOptions& options, redis::CheckedOptions& checked, Mistakes& mistakes) {
  const bool has_sentinels = !options.sentinels.empty();
  checked.is_cluster = !options.cluster_nodes.empty();
  if (has_sentinels && checked.is_cluster) mistakes.Add("sentinels and cluster_nodes exclude each other");
  if (has_sentinels == options.sentinel_master.empty())
    mistakes.Add(has_sentinels ? "sentinel_master is empty" : "sentinel_master is set without sentinels");
  if (checked.is_cluster && options.database != 0) mistakes.Add("database must be 0 in a Cluster");
  checked.sentinels = CheckEndpoints(options.sentinels, kSentinelPort, "sentinels", mistakes);
  checked.sentinel_master = options.sentinel_master;
  if (checked.is_cluster) {
    checked.servers = CheckEndpoints(options.cluster_nodes, kPort, "cluster_nodes", mistakes);
  } else if (!has_sentinels) {
    if (options.host.empty()) mistakes.Add("host is empty");
    if (options.port == 0) mistakes.Add("port is 0");
    checked.servers = {net::Endpoint{options.host, options.port}};
  }
}

}  // namespace

RedisOptions RedisOptions::FromUrl(const std::string& url) {
  RedisOptions options;
  Mistakes mistakes("Redis URL");
  ReadUrl(url, options, mistakes);
  mistakes.Throw();
  return options;
}

RedisOptions RedisOptions::FromEnvironment(const std::string& prefix) {
  RedisOptions options;
  Mistakes mistakes("Redis environment");
  const Environment environment(prefix, mistakes);
  if (const char* url = environment.Find("URL")) {
    Mistakes in_url(prefix + "URL");
    ReadUrl(url, options, in_url);
    try {
      in_url.Throw();
    } catch (const std::invalid_argument& wrong) {
      mistakes.Add(wrong.what());
    }
  }
  environment.Read("HOST", options.host);
  // Kubernetes sets REDIS_PORT=tcp://10.0.0.1:6379 in every pod beside a Service called redis: nobody meant it for us.
  if (const char* port = environment.Find("PORT"); port && !std::string_view(port).starts_with("tcp://"))
    environment.Read("PORT", 1, 65535, options.port);
  environment.Read("USERNAME", options.username);
  environment.Read("PASSWORD", options.password);
  environment.Read("PASSWORD_FILE", options.password_file);
  environment.Read("DATABASE", 0, kLargestDatabase, options.database);
  environment.Read("KEY_PREFIX", options.key_prefix);
  environment.Read("TLS", options.tls.enabled);
  environment.Read("TLS_CA_FILE", options.tls.ca_file);
  environment.Read("TLS_CERTIFICATE_FILE", options.tls.certificate_file);
  environment.Read("TLS_KEY_FILE", options.tls.key_file);
  environment.Read("TLS_SERVER_NAME", options.tls.server_name);
  environment.Read("SENTINELS", options.sentinels);
  environment.Read("SENTINEL_MASTER", options.sentinel_master);
  environment.Read("SENTINEL_USERNAME", options.sentinel_username);
  environment.Read("SENTINEL_PASSWORD", options.sentinel_password);
  environment.Read("SENTINEL_TLS", options.sentinel_tls.enabled);
  environment.Read("SENTINEL_TLS_CA_FILE", options.sentinel_tls.ca_file);
  environment.Read("CLUSTER_NODES", options.cluster_nodes);
  int min_replicas = -1;
  environment.Read("MIN_REPLICAS", 0, 1000, min_replicas);
  if (min_replicas >= 0) options.min_replicas = min_replicas;
  mistakes.Throw();
  return options;
}

namespace redis {

CheckedOptions Check(const RedisOptions& options) {
  Mistakes mistakes("RedisOptions");
  CheckedOptions checked;
  CheckPlace(options, checked, mistakes);
  const bool has_sentinels = !options.sentinels.empty();
  if (options.database < 0) mistakes.Add("database is negative");
  if (options.connect_timeout < std::chrono::milliseconds(1)) mistakes.Add("connect_timeout is not positive");
  if (options.min_replicas && *options.min_replicas < 0) mistakes.Add("min_replicas is negative");
  if (!options.password.empty() && !options.password_file.empty())
    mistakes.Add("password and password_file exclude each other");
  if (!options.username.empty() && options.password.empty() && options.password_file.empty())
    mistakes.Add("username is set without password");
  if (!options.sentinel_username.empty() && options.sentinel_password.empty())
    mistakes.Add("sentinel_username is set without sentinel_password");
  if (!has_sentinels && !options.sentinel_password.empty()) mistakes.Add("sentinel_password is set without sentinels");

  checked.node.min_replicas = options.min_replicas.value_or(has_sentinels ? 1 : 0);
  checked.node.link.connect_timeout = options.connect_timeout;
  checked.node.link.tls = CheckTls(options.tls, "tls", mistakes);
  checked.node.link.login = {.username = options.username,
                             .password = net::Secret(options.password),
                             .password_file = options.password_file,
                             .database = options.database,
                             .must_be_primary = has_sentinels};
  checked.sentinel_link.connect_timeout = options.connect_timeout;
  checked.sentinel_link.tls = CheckTls(options.sentinel_tls, "sentinel_tls", mistakes);
  checked.sentinel_link.login.username = options.sentinel_username;
  checked.sentinel_link.login.password = net::Secret(options.sentinel_password);
  mistakes.Throw();
  return checked;
}

}  // namespace redis
}  // namespace leaderelection

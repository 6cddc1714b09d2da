#include "redis/redis_servers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace leaderelection::testing {
namespace {

std::string Environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string RunScript(const std::vector<std::string>& arguments) {
  std::string command = Quoted(Environment("LEADERELECTION_TEST_REDIS_SCRIPT"));
  for (const std::string& argument : arguments) command += " " + Quoted(argument);
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "re");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> bytes{};
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe)) output.append(bytes.data(), size);
  if (::pclose(pipe) != 0) throw std::runtime_error(command + ": " + output);
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (part.ends_with('\\')) part.pop_back();  // as the shell quotes it
    parts.push_back(part);
  }
  return parts;
}

std::string Variable(const std::string& exports, const std::string& name) {
  const auto begin = exports.find(name + "=");
  if (begin == std::string::npos) return "";
  const auto start = begin + name.size() + 1;
  const std::string value = exports.substr(start, exports.find('\n', start) - start);
  return value == "''" ? "" : value;
}

std::string Prefix(std::string kind) {
  for (char& c : kind) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "LEADERELECTION_TEST_REDIS_" + kind;
}

std::string SharedDirectory(const std::string& kind) {
  std::string directory = Environment(Prefix(kind) + "_DIR");
  if (directory.empty()) throw std::runtime_error("no " + kind + " servers: run hack/redis.sh up " + kind);
  return directory;
}

}  // namespace

void RequireRedis() {
  if (!Environment("LEADERELECTION_TEST_REDIS_SCRIPT").empty()) return;
  if (Environment("CI") == "true") FAIL() << "no Redis servers: LEADERELECTION_TEST_REDIS_SCRIPT is not set";
  GTEST_SKIP() << "no Redis servers: run hack/test.sh -L redis";
}

std::string UniqueName(const std::string& what) {
  static std::atomic<int> count{0};
  static const auto random = std::random_device()();
  return what + "-" + std::to_string(::getpid()) + "-" + std::to_string(random) + "-" + std::to_string(++count);
}

RedisServers::RedisServers(std::string kind, std::string directory, const std::string& exports)
    : kind_(std::move(kind)),
      directory_(std::move(directory)),
      addresses_(Split(Variable(exports, Prefix(kind_) + "_SERVERS"))),
      sentinels_(Split(Variable(exports, Prefix(kind_) + "_SENTINELS"))) {}

RedisServers RedisServers::Shared(const std::string& kind) {
  const std::string directory = SharedDirectory(kind);
  return {kind, directory, RunScript({"env", kind, "--dir", directory})};
}

RedisServers::RedisServers(const std::string& kind)
    : kind_(kind), is_own_(true), folder_(std::make_unique<TemporaryFolder>()) {
  directory_ = (folder_->path() / "redis").string();
  RunScript({"up", kind_, "--dir", directory_});
  const std::string exports = RunScript({"env", kind_, "--dir", directory_});
  addresses_ = Split(Variable(exports, Prefix(kind_) + "_SERVERS"));
  sentinels_ = Split(Variable(exports, Prefix(kind_) + "_SENTINELS"));
}

RedisServers::~RedisServers() {
  if (!is_own_ || !folder_) return;
  try {
    RunScript({"down", kind_, "--dir", directory_});
  } catch (const std::runtime_error& error) {
    ADD_FAILURE() << error.what();
  }
}

RedisOptions RedisServers::Options() const {
  RedisOptions options;
  options.key_prefix = "lock";
  if (kind_ == "standalone") {
    options = RedisOptions::FromUrl("redis://" + address());
    options.key_prefix = "lock";
  } else if (kind_ == "tls") {
    options = RedisOptions::FromUrl("rediss://elector:elector-secret@" + address());
    options.key_prefix = "lock";
    options.tls.ca_file = ca_file();
  } else if (kind_ == "sentinel") {
    options.sentinels = sentinels_;
    options.sentinel_master = "mymaster";
    options.password = "administrator";
    options.sentinel_password = "sentinel-secret";
    options.tls.enabled = options.sentinel_tls.enabled = true;
    options.tls.ca_file = options.sentinel_tls.ca_file = ca_file();
  } else {
    options.cluster_nodes = {address()};
  }
  return options;
}

std::string RedisServers::Cli(const std::string& server, const std::vector<std::string>& words) const {
  std::vector<std::string> arguments{"cli", kind_, "--dir", directory_, server};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return RunScript(arguments);
}

void RedisServers::Do(const std::string& what, const std::string& server) const {
  RunScript({what, kind_, "--dir", directory_, server});
}

}  // namespace leaderelection::testing

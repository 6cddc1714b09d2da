#include "consul/consul_server.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <utility>

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string Run(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> bytes{};
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe)) output.append(bytes.data(), size);
  if (::pclose(pipe) != 0) throw std::runtime_error(command + ": " + output);
  return output;
}

std::string RunScript(const std::string& what, const std::string& directory) {
  return Run("'" + Environment("LEADERELECTION_TEST_CONSUL_SCRIPT") + "' " + what + " --dir '" + directory + "'");
}

}  // namespace

void RequireConsul() {
  if (!Environment("LEADERELECTION_TEST_CONSUL_SCRIPT").empty()) return;
  if (Environment("CI") == "true") FAIL() << "no Consul server: LEADERELECTION_TEST_CONSUL_SCRIPT is not set";
  GTEST_SKIP() << "no Consul server: run hack/test.sh -L consul";
}

ConsulServer ConsulServer::Shared() { return ConsulServer(Environment("LEADERELECTION_TEST_CONSUL_DIR")); }

ConsulServer::ConsulServer(std::string directory) : directory_(std::move(directory)) {
  if (!Environment("LEADERELECTION_TEST_CONSUL_SCRIPT").empty()) Connect();
}

ConsulServer::ConsulServer() : folder_(std::make_unique<TemporaryFolder>()) {
  directory_ = (folder_->path() / "consul").string();
  if (Environment("LEADERELECTION_TEST_CONSUL_SCRIPT").empty()) return;
  (void)RunScript("up", directory_);
  Connect();
}

ConsulServer::~ConsulServer() {
  if (!folder_ || !admin_) return;
  try {
    (void)RunScript("down", directory_);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
}

void ConsulServer::Connect() {
  ConsulOptions options = Options();
  options.token_file = File("token/admin");
  admin_ = consul::Transport::Make(options);
}

std::string ConsulServer::Content(const std::string& name) const {
  std::ifstream file(File(name));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

ConsulOptions ConsulServer::Options() const {
  return {.address = Content("http"), .token_file = File("token/elector")};
}

ConsulOptions ConsulServer::TlsOptions() const {
  return {.address = Content("https"),
          .token_file = File("token/elector"),
          .ca_file = File("pki/ca.crt"),
          .certificate_file = File("pki/client.crt"),
          .key_file = File("pki/client.key")};
}

std::string ConsulServer::UniqueKey() const {
  static std::random_device random;
  return "leaderelection/test/" + std::to_string(random()) + "/.lock";
}

void ConsulServer::Do(const std::string& what) const { (void)RunScript(what, directory_); }

std::string ConsulServer::Command(const std::string& arguments) const {
  return "exec env CONSUL_HTTP_ADDR='" + Content("http") + "' CONSUL_HTTP_TOKEN_FILE='" + File("token/admin") + "' '" +
         File("bin/consul") + "' " + arguments;
}

http::Response ConsulServer::Ask(const std::string& method, const std::string& path, const std::string& body) const {
  std::promise<Result<http::Response>> answered;
  admin_->Send({.method = method, .path = path, .body = body, .deadline = BootClock::now() + 30s},
               [&](Result<http::Response> answer) { answered.set_value(std::move(answer)); });
  auto answer = answered.get_future().get();
  if (!answer) throw std::runtime_error(path + ": " + answer.error().message);
  return std::move(answer).value();
}

consul::KeyRead ConsulServer::Read(const std::string& key) const {
  return consul::ParseKeyRead(Ask("GET", "/v1/kv/" + key + "?consistent")).value();
}

void ConsulServer::Delete(const std::string& key) const { (void)Ask("DELETE", "/v1/kv/" + key); }

void ConsulServer::Put(const std::string& key, const std::string& value, const std::string& query) const {
  const auto answer = Ask("PUT", "/v1/kv/" + key + query, value);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body.substr(0, 4), "true") << key << query;
}

std::string ConsulServer::MakeSession() const {
  const auto answer = Ask("PUT", "/v1/session/create", R"({"TTL":"60s","LockDelay":"0s","Name":"a stranger"})");
  return nlohmann::json::parse(answer.body).at("ID");
}

void ConsulServer::DestroySession(const std::string& id) const { (void)Ask("PUT", "/v1/session/destroy/" + id); }

bool ConsulServer::HasSession(const std::string& id) const {
  return !nlohmann::json::parse(Ask("GET", "/v1/session/info/" + id + "?consistent").body).empty();
}

}  // namespace leaderelection::testing

#include "kubernetes/test_cluster.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace leaderelection::testing {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

CommandResult Run(const std::string& command) {
  std::FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "re");
  if (!pipe) throw std::runtime_error("cannot run a shell");
  CommandResult result;
  std::array<char, 4096> bytes{};
  std::size_t size = 0;
  while ((size = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0) result.output.append(bytes.data(), size);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

const TestCluster& TestCluster::Get() {
  static const TestCluster cluster;
  return cluster;
}

TestCluster::TestCluster()
    : folder_(Variable("LEADERELECTION_TEST_KUBE_DIR")),
      server_(Variable("LEADERELECTION_TEST_KUBE_SERVER")),
      authority_file_(Variable("LEADERELECTION_TEST_KUBE_CA")),
      name_space_(Variable("LEADERELECTION_TEST_KUBE_NAMESPACE")),
      precreated_lease_(Variable("LEADERELECTION_TEST_KUBE_LEASE")),
      kubectl_(Variable("LEADERELECTION_TEST_KUBECTL")),
      script_(Variable("LEADERELECTION_TEST_KUBE_SCRIPT")) {}

std::filesystem::path TestCluster::Kubeconfig(const std::string& user) const { return folder_ / "kubeconfig" / user; }

KubeConfig TestCluster::Config(const std::string& user) const {
  auto config = KubeConfig::FromFiles({Kubeconfig(user)});
  if (!config) throw std::runtime_error(config.error().message);
  return std::move(config).value();
}

std::shared_ptr<KubeClient> TestCluster::Client(const std::string& user, LogSink log) const {
  auto client = KubeClient::Make(Config(user), {.log = std::move(log)});
  if (!client) throw std::runtime_error(client.error().message);
  return std::move(client).value();
}

std::shared_ptr<LeaseLock> TestCluster::Lock(const std::string& user, const std::string& lease, LogSink log) const {
  return std::make_shared<LeaseLock>(Client(user, std::move(log)),
                                     LeaseLockOptions{.lease_namespace = name_space_, .lease_name = lease});
}

LockClient TestCluster::Connect(const std::string& user, const std::string& lease, LogSink log) const {
  return {Lock(user, lease, std::move(log)), std::chrono::seconds(30)};
}

std::string TestCluster::Kubectl(const std::string& arguments) const {
  const auto done =
      Run(kubectl_ + " --kubeconfig " + Kubeconfig("admin").string() + " --cache-dir " +
          (folder_ / "kubectl-cache").string() + " -n " + name_space_ + " --request-timeout=30s " + arguments);
  EXPECT_EQ(done.status, 0) << "kubectl " << arguments << "\n" << done.output;
  return done.output;
}

int TestCluster::CountInAuditLog(const std::string& user, const std::string& verb) const {
  const std::string stage = verb == "watch" ? "ResponseStarted" : "ResponseComplete";
  std::ifstream log(folder_ / "audit.log");
  int count = 0;
  for (std::string line; std::getline(log, line);) {
    const auto says = [&line](const std::string& text) { return line.find(text) != std::string::npos; };
    count += says("\"stage\":\"" + stage + "\"") && says("\"verb\":\"" + verb + "\"") &&
             says("\"username\":\"" + user + "\"");
  }
  return count;
}

void TestCluster::Server(const std::string& command) const {
  const auto done = Run(script_ + " " + command + " --dir " + folder_.string());
  ASSERT_EQ(done.status, 0) << command << "\n" << done.output;
}

std::string UniqueLeaseName() {
  static std::atomic<int> count = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return "t-" + std::to_string(now) + "-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

void RequireCluster() {
  if (!Variable("LEADERELECTION_TEST_KUBE_SERVER").empty()) return;
  const char* how = "no API server: run hack/kube-apiserver.sh up, then eval \"$(hack/kube-apiserver.sh env)\"";
  if (std::getenv("CI")) FAIL() << how;
  GTEST_SKIP() << how;
}

}  // namespace leaderelection::testing

// An API server that does what a test tells it to, with a kubeconfig for it.

#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/http_server.h"
#include "leaderelection/lease_lock.h"
#include "leaderelection/testing/lock_client.h"
#include "net/certificates.h"
#include "net/scripted_server.h"

namespace leaderelection::testing {

// What was logged; may outlive the test.
class LogNotes {
 public:
  LogSink Sink() const {
    return [lines = lines_](const LogEvent& event) {
      const std::lock_guard lock(lines->mutex);
      lines->all.push_back(ToLogfmt(event));
    };
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(lines_->mutex);
    return lines_->all;
  }
  long Count(const std::string& piece) const {
    const auto lines = all();
    return std::count_if(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(piece) != std::string::npos; });
  }

 private:
  struct Lines {
    std::mutex mutex;
    std::vector<std::string> all;
  };
  const std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

inline std::string StatusBody(int code, const std::string& message = "no") {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code) + R"(,"message":")" +
         message + R"("})";
}

// In the namespace default, held by `holder`.
inline std::string LeaseBody(int version, const std::string& holder = "a", const std::string& name = "demo") {
  return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" + name +
         R"(","namespace":"default","uid":"1","resourceVersion":")" + std::to_string(version) +
         R"("},"spec":{"holderIdentity":")" + holder + R"("}})";
}

class ScriptedApi {
 public:
  struct Options {
    CertificateWish certificate = {.addresses = {"127.0.0.1"}};
    int newest_version = TLS1_3_VERSION;
    bool is_foreign = false;  // its certificate is of an authority that clients do not trust
    std::string path;         // of the server's URL
    std::string cluster;      // further fields of the kubeconfig's cluster, after a comma
    std::string user;         // the kubeconfig's user; empty: the token file
  };

  explicit ScriptedApi(ScriptedServer::Script script) : ScriptedApi(std::move(script), Options()) {}
  ScriptedApi(ScriptedServer::Script script, const Options& options)
      : options_(options),
        server_({.tls = ServerTls{.identity = (options.is_foreign ? stranger_ : authority_).Issue(options.certificate),
                                  .newest_version = options.newest_version}},
                std::move(script)) {
    WriteToken("first-canary");
    folder_.Write("ca.crt", authority_.pem());
  }

  // Replaced as kubelet does it: as a whole.
  void WriteToken(const std::string& token) const {
    std::filesystem::rename(folder_.Write("token.new", token), folder_.path() / "token");
  }
  void WriteAuthority(const std::string& pem) const {
    std::filesystem::rename(folder_.Write("ca.new", pem), folder_.path() / "ca.crt");
  }

  KubeConfig Config() const {
    const std::string user = options_.user.empty() ? "tokenFile: token" : options_.user;
    const std::string file = folder_.Write(
        "config",
        "clusters:\n- {name: c, cluster: {server: 'https://127.0.0.1:" + std::to_string(server_.port()) +
            options_.path + "'" +
            (options_.cluster.find("insecure") == std::string::npos ? ", certificate-authority: ca.crt" : "") +
            options_.cluster + "}}\nusers:\n- {name: u, user: {" + user +
            "}}\ncontexts:\n- {name: x, context: {cluster: c, user: u, namespace: from-context}}\n"
            "current-context: x\n");
    auto config = KubeConfig::FromFiles({file});
    if (!config) throw std::runtime_error(config.error().message);
    return std::move(config).value();
  }
  std::shared_ptr<KubeClient> Client() const {
    auto client = KubeClient::Make(Config(), {.log = log_.Sink()});
    if (!client) throw std::runtime_error(client.error().message);
    return std::move(client).value();
  }
  LockClient Connect() const {
    return {std::make_shared<LeaseLock>(Client(), LeaseLockOptions{.lease_namespace = "default", .lease_name = "demo"}),
            std::chrono::seconds(60)};
  }

  [[nodiscard]] const Authority& authority() const { return authority_; }
  [[nodiscard]] const LogNotes& log() const { return log_; }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] ScriptedServer& server() { return server_; }

 private:
  const Options options_;
  const Authority authority_;
  const Authority stranger_;
  const TemporaryFolder folder_;
  const LogNotes log_;
  ScriptedServer server_;
};

}  // namespace leaderelection::testing

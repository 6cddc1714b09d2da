// A connection to one API server, to be shared by all locks of a process.

#pragma once

#include <memory>
#include <string>

#include "leaderelection/error.h"
#include "leaderelection/export.h"
#include "leaderelection/kube_config.h"
#include "leaderelection/log.h"

namespace leaderelection {

class ApiClient;
class LeaseWatches;

struct KubeClientOptions {
  // Hears what is not an error of one request: an unverified server, a watch that is refused, a token that cannot be
  // read any more.
  LogSink log;
  // What the server's audit log shows; " leader-election" is put after it.
  std::string user_agent = "leaderelection-cpp";
};

// Thread-safe. Any number of locks share its connections and its one thread; a transport may have further ones. It
// verifies the server by the CA of the configuration alone, follows no redirect, and gives every request its deadline.
// Tokens, certificates and the CA may be replaced on disk while it runs: files are looked at once a minute, and at once
// when the server refuses (401) or the connection fails. An unreadable or empty file does not replace what was read
// before. An exec plugin runs when its credential is about to expire or is refused, for at most 30 s.
class LEADERELECTION_EXPORT KubeClient {
 public:
  // Reads the files that the configuration names. kInvalid says what is wrong with them.
  [[nodiscard]] static Result<std::shared_ptr<KubeClient>> Make(const KubeConfig& config,
                                                                KubeClientOptions options = {});
  ~KubeClient();
  KubeClient(const KubeClient&) = delete;
  KubeClient& operator=(const KubeClient&) = delete;

  [[nodiscard]] const KubeConfig& config() const { return config_; }
  // For the library.
  [[nodiscard]] const std::shared_ptr<ApiClient>& api() const { return api_; }
  [[nodiscard]] LeaseWatches& watches() const { return *watches_; }

 private:
  KubeClient(const KubeConfig& config, std::shared_ptr<ApiClient> api);

  const KubeConfig config_;
  const std::shared_ptr<ApiClient> api_;
  const std::unique_ptr<LeaseWatches> watches_;
};

}  // namespace leaderelection

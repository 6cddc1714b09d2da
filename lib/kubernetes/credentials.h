// Who we are at the moment. Tokens, certificates and the CA are replaced on disk while we run.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/kube_settings.h"
#include "kubernetes/read_file.h"
#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/executor.h"
#include "leaderelection/kube_config.h"
#include "leaderelection/log.h"
#include "net/secret.h"
#include "net/tls.h"

namespace leaderelection {

struct Credential {
  net::Secret token;
  std::shared_ptr<const net::TlsContext> tls;  // null: plain http
  std::uint64_t number = 0;                    // rises whenever one of them has changed
};

// No caller waits for a file: who asks gets what is known, and files are looked at in the background, on the executor,
// at most once a minute. Only the first run of an exec plugin, and a refused credential, are waited for. What cannot be
// read any more, or is empty, does not replace what was good. Thread-safe; share it by shared_ptr.
class Credentials : public std::enable_shared_from_this<Credentials> {
 public:
  using Then = std::function<void(Result<Credential>)>;

  // Reads what the settings name, once, here. kInvalid with the cause. The sink is there and does not throw. The
  // executor's tasks may block for as long as an exec plugin runs; it outlives this but for a task of its own.
  static Result<std::shared_ptr<Credentials>> Load(const KubeConfig& config, Executor& executor, LogSink log);
  ~Credentials();

  // The current one, before this returns if there is one. `then` is dropped if this is stopped first.
  void Use(Then then);
  // A fresh one in the place of the one of this number, which the server has refused. If `then` gets the same number
  // again, there is none.
  void Replace(std::uint64_t refused, Then then);
  // Something went wrong that a change of certificates would explain: looks at the files, if it has not just done so.
  void Suspect();

  // Breaks off a plugin that runs; nothing is answered any more.
  void Stop();

 private:
  Credentials(const KubeConfig& config, Executor& executor, LogSink log);

  void Look(bool is_forced);
  void Schedule(bool is_forced);
  Status ReadFiles(bool is_forced);
  Status ReadToken();
  Status ReadTls();
  Status RunPlugin();
  [[nodiscard]] bool IsUsable() const;
  void Warn(std::string_view message, const Error& error) const;

  const KubeConfig config_;
  Executor& executor_;
  const LogSink log_;
  const int interruption_;

  // Written by Load and then on the executor only.
  FileStamp token_stamp_;
  std::vector<FileStamp> tls_stamps_;
  std::string plugin_certificate_;
  net::Secret plugin_key_;

  mutable std::mutex mutex_;
  Credential current_;
  bool has_plugin_credential_ = false;
  std::optional<WallTime> expires_;
  MonotonicTime looked_at_{};
  bool is_looking_ = false;
  bool is_forced_look_due_ = false;
  bool is_stopped_ = false;
  std::vector<Then> waiting_;
};

}  // namespace leaderelection

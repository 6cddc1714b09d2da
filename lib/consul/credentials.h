// The token and the TLS settings, as their files are now.

#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "consul/watched_file.h"
#include "leaderelection/consul_lock.h"
#include "leaderelection/error.h"
#include "net/secret.h"
#include "net/tls.h"

namespace leaderelection::consul {

// Thread-safe. A file that has changed but cannot be used leaves what was read before in force.
class Credentials {
 public:
  Credentials(const ConsulOptions& options, bool tls);

  // Empty: none is to be sent. kDenied if the token file never could be read.
  [[nodiscard]] Result<net::Secret> Token();
  // Null: plain. kInvalid, with the cause, if there never was a context to be had.
  [[nodiscard]] Result<std::shared_ptr<const net::TlsContext>> Tls();

 private:
  void ReadToken();
  [[nodiscard]] bool TlsFilesChanged();

  const net::TlsSettings settings_;
  const bool tls_;
  std::mutex mutex_;
  WatchedFile token_file_;
  std::array<WatchedFile, 3> tls_files_;
  net::Secret token_;
  std::shared_ptr<const net::TlsContext> context_;
};

}  // namespace leaderelection::consul

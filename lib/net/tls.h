// TLS as every client here speaks it: 1.2 or newer, chain and name verified, and a failure that says what was wrong.
//
//   auto tls = TlsContext::Make({.ca_file = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"});
//   if (!tls) return tls.error();   // "cannot read the CA file ...: No such file or directory"

#pragma once

#include <openssl/ssl.h>

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "leaderelection/error.h"
#include "net/secret.h"

namespace leaderelection::net {

// Where a file and its content (PEM) can both be given, the content counts.
struct TlsSettings {
  // Whom to trust: these *instead of* the system's roots, which are taken only if both are empty.
  std::string ca_file;
  std::string ca_pem;

  // Who we are, if the server asks: certificate (with its chain) and key, both or neither.
  std::string certificate_file;
  std::string certificate_pem;
  std::string key_file;
  Secret key_pem;

  // The name the server's certificate must be for and that is asked for by SNI; empty: the host connected to.
  std::string server_name;

  // Talks to anyone. Nothing else turns verification off.
  bool insecure_skip_verify = false;
};

// What a connection's verification found wrong. Written during the handshake, on whatever thread runs it.
class TlsVerdict {
 public:
  void Refuse(std::string cause);
  [[nodiscard]] std::string cause() const;  // empty: nothing wrong

 private:
  mutable std::mutex mutex_;
  std::string cause_;
};

// The settings, read and checked. Immutable; made anew when a file changes. Thread-safe.
class TlsContext {
 public:
  // kInvalid with the cause if a file cannot be read or does not hold what it should.
  static Result<std::shared_ptr<const TlsContext>> Make(const TlsSettings& settings);

  // A further owner of the one SSL_CTX behind all connections, in the form Asio wants.
  [[nodiscard]] boost::asio::ssl::context Share() const;

  // To be called on each connection to `host` before its handshake; without it the handshake is refused.
  void Prepare(SSL* connection, const std::string& host, std::shared_ptr<TlsVerdict> verdict) const;

  [[nodiscard]] bool verifies() const { return !insecure_; }

 private:
  TlsContext(boost::asio::ssl::context context, std::string server_name, bool insecure);

  mutable boost::asio::ssl::context context_;
  const std::string server_name_;
  const bool insecure_;
};

}  // namespace leaderelection::net

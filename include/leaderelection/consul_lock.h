// An election on Consul: one key, held by a session as Consul's own locks are.
//
//   auto client = std::make_shared<ConsulClient>(ConsulOptions::FromEnvironment());
//   auto lock = std::make_shared<ConsulLock>(client, ConsulLockOptions{.key = "service/billing/leader"});

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leaderelection/export.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

namespace consul {
class LockRequests;
class Transport;
}  // namespace consul

// Files are read when first needed and again when they have changed; a changed one that cannot be read, or is empty,
// leaves what was read before in force.
struct LEADERELECTION_EXPORT ConsulOptions {
  // host:port (plain), http://host:port or https://host:port, also with a path before /v1.
  std::string address = "http://127.0.0.1:8500";
  std::string token;       // sent as X-Consul-Token; empty: none
  std::string token_file;  // instead of it: its content without blanks around it
  // Of https only. TLS 1.2 or newer, chain and name verified.
  std::string ca_file;                // whom to trust instead of the system's roots
  std::string certificate_file;       // who we are, if the server asks; with key_file or not at all
  std::string key_file;               // unencrypted
  std::string tls_server_name;        // the name in the server's certificate; empty: the host connected to
  bool insecure_skip_verify = false;  // talks to anyone
  std::string datacenter;             // empty: the agent's own
  std::string consul_namespace;       // Consul Enterprise

  // CONSUL_HTTP_ADDR, CONSUL_HTTP_TOKEN, CONSUL_HTTP_TOKEN_FILE, CONSUL_HTTP_SSL (https where the address says
  // nothing), CONSUL_HTTP_SSL_VERIFY, CONSUL_CACERT, CONSUL_CLIENT_CERT, CONSUL_CLIENT_KEY, CONSUL_TLS_SERVER_NAME,
  // CONSUL_NAMESPACE, as Consul's own command. Throws std::invalid_argument, naming each wrong variable and those it
  // would have to pass over: CONSUL_CAPATH, CONSUL_HTTP_AUTH, CONSUL_PARTITION.
  static ConsulOptions FromEnvironment();
};

// Whom to ask. Any number of locks share its few connections and one thread. Thread-safe.
class LEADERELECTION_EXPORT ConsulClient {
 public:
  // Connects to nobody yet. Throws std::invalid_argument, naming every wrong field; no message holds the token.
  explicit ConsulClient(const ConsulOptions& options);
  ~ConsulClient();

 private:
  friend class ConsulLock;
  const std::shared_ptr<consul::Transport> transport_;
};

// The session that holds the key. Consul frees a key whose session is not renewed, after up to twice the TTL.
struct ConsulSession {
  std::string name = "leaderelection";
  // 10 seconds to 24 hours. None: as long as the lease, within these limits; a shorter one lets Consul free the key of
  // a dead holder before its lease is over.
  std::optional<std::chrono::milliseconds> ttl;
  // How long Consul lets nobody lock the key after it took the key from a session; 0 to 60 seconds. None: as long as
  // the lease, so that a stranger to the record waits too. It delays neither a release nor a take-over.
  std::optional<std::chrono::milliseconds> lock_delay;
  // What Consul does with the key when it takes it from the session.
  enum class Behavior { kRelease, kDelete } behavior = Behavior::kRelease;
  // Health checks that the session depends on. None by default, not even the node's: the record's lease finds a dead
  // holder, and a check that flaps would end a term for nothing.
  std::vector<std::string> node_checks;
  std::vector<std::string> service_checks;
};

struct ConsulLockOptions {
  std::string key;  // "service/billing/leader"
  ConsulSession session;
  // Called before each session is made, on a thread of the client's; it must not block. What it gives counts instead of
  // `session`; wrong settings from it fail the write that needed the session (kInvalid).
  std::function<ConsulSession()> session_provider;
};

// The record is JSON in one key that is locked with the holder's session, by one transaction that also checks the key's
// index: compare-and-swap and Consul's own lock agree, and `consul lock` or Go's api.Lock on the same key wait for it
// and are waited for. Among candidates of this kind the record alone decides: when its lease is over, one transaction
// checks the version judged, unlocks with the dead holder's session and locks with ours. So a take-over waits neither
// for the TTL nor for the lock delay, and no session but our own is ever destroyed.
//
// Our session is made with the first write, renewed at a third of its TTL, and destroyed a while after a release or
// with the lock, which waits for that up to a second. If Consul takes the key from it (an operator, a health check,
// silence), the record it left counts here as deleted, so the term ends at once; for everyone else it stays a record
// that is waited out, after which the lock delay may still refuse them (kThrottled).
//
// A key that another Consul client holds is reported (kCorrupt) until its session goes; a lock that such a client left
// behind is free. A value of any other kind is reported (kCorrupt) and never overwritten. Both are told as deletions by
// the watch. It may miss a record that was replaced while it was told of the one before, never the last one.
//
// After a release every candidate tries at once, for the reason that lease_lock.h gives.
//
// The fencing number is Consul's ModifyIndex, which rises with every write to the cluster, also across deletion; only a
// cluster restored from an older snapshot turns it back.
//
// Needs Consul 1.7 or newer; with ACLs key:write on the key and session:write on the agent's node.
class LEADERELECTION_EXPORT ConsulLock final : public ResourceLock {
 public:
  // Throws std::invalid_argument, naming every wrong field.
  ConsulLock(std::shared_ptr<ConsulClient> client, ConsulLockOptions options);
  ~ConsulLock() override;

  void Get(MonotonicTime deadline, Done<Stored> done) override;
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override;
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override;
  [[nodiscard]] std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) override;
  [[nodiscard]] std::string Describe() const override;

 private:
  const std::shared_ptr<ConsulClient> client_;
  const std::shared_ptr<consul::LockRequests> requests_;
};

}  // namespace leaderelection

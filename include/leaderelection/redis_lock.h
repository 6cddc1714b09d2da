// An election on Redis: for programs that share a Redis but no Kubernetes.
//
//   auto client = std::make_shared<RedisClient>(RedisOptions::FromUrl("rediss://elector:secret@redis.example:6379/0"));
//   auto lock = std::make_shared<RedisLock>(client, "billing");   // any number of locks on one client

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leaderelection/export.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// TLS 1.2 or newer, chain and name verified. The files are read again for each connection.
struct RedisTls {
  bool enabled = false;
  std::string ca_file;                // whom to trust instead of the system's roots
  std::string certificate_file;       // who we are, if the server asks; with key_file or not at all
  std::string key_file;               // unencrypted
  std::string server_name;            // the name in the server's certificate; empty: the host connected to
  bool insecure_skip_verify = false;  // talks to anyone
};

struct LEADERELECTION_EXPORT RedisOptions {
  // One server. Not looked at if sentinels or cluster_nodes are given.
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;

  std::string username;  // of Redis's ACL; empty: the default user
  std::string password;
  std::string password_file;  // its first line, read for each connection, so that a password can change; instead of it
  int database = 0;
  RedisTls tls;
  std::string key_prefix = "leaderelection";  // an election's key is "prefix:name"; empty: its name alone

  // Sentinel: each "host:port"; the primary is asked for before every connection, so a failover is followed.
  std::vector<std::string> sentinels;
  std::string sentinel_master;  // what the sentinels call the primary: "mymaster"
  std::string sentinel_username;
  std::string sentinel_password;
  RedisTls sentinel_tls;

  // Cluster: some of its nodes, each "host:port"; the others are found, and slots followed as they move.
  std::vector<std::string> cluster_nodes;

  // A write counts only once this many replicas have it (WAIT). By default 1 with Sentinel, else 0.
  std::optional<int> min_replicas;

  std::chrono::milliseconds connect_timeout{2000};  // look-up, connecting, TLS and AUTH together

  // redis://[user[:password]@]host[:port][/database], rediss:// for TLS; user and password percent-encoded. Throws
  // std::invalid_argument, naming each wrong part but quoting none.
  static RedisOptions FromUrl(const std::string& url);

  // REDIS_URL, or REDIS_HOST, _PORT, _USERNAME, _PASSWORD, _DATABASE; REDIS_PASSWORD_FILE, _KEY_PREFIX, _TLS (true or
  // false), _TLS_CA_FILE, _TLS_CERTIFICATE_FILE, _TLS_KEY_FILE, _TLS_SERVER_NAME; REDIS_SENTINELS (comma-separated),
  // _SENTINEL_MASTER, _SENTINEL_USERNAME, _SENTINEL_PASSWORD, _SENTINEL_TLS, _SENTINEL_TLS_CA_FILE;
  // REDIS_CLUSTER_NODES; REDIS_MIN_REPLICAS. A variable that is set counts before the URL's part; a REDIS_PORT of the
  // form tcp://..., which Kubernetes sets for a Service called redis, is passed over. Another prefix may stand for
  // "REDIS_". Throws std::invalid_argument, naming each wrong variable.
  static RedisOptions FromEnvironment(const std::string& prefix = "REDIS_");
};

// The connections: one for commands, one for subscriptions, one more if replicas must acknowledge (a Cluster: to each
// node in use), made when first needed and again, at growing distance, when they break. One thread in all. Thread-safe.
class LEADERELECTION_EXPORT RedisClient {
 public:
  // Connects to nobody yet. Throws std::invalid_argument, naming every wrong field; no message holds a password.
  explicit RedisClient(const RedisOptions& options);
  ~RedisClient();

 private:
  friend class RedisLock;
  class Inside;
  const std::shared_ptr<Inside> inside_;
};

// The record is JSON in one key, "prefix:name", read and replaced by scripts that compare it as a whole. While it is
// held it expires after lease_duration, so a dead holder's key goes by itself. A release writes a record without a
// holder, which is kept for a day: release and loss do not look alike. Every write is published on the channel that is
// called as the key. Where the server notes the ends of keys (notify-keyspace-events Kgxe) a deletion is told at once
// too. What is not ours, by type or by content, is reported (kCorrupt) and never overwritten.
//
// The fencing number is at least the server's time in microseconds and above all that the writer saw, so it keeps
// rising when the key expires, is flushed, or is lost in a failover.
//
// Limits. Replication is asynchronous: a failover may forget an acknowledged write, and a primary that is cut off goes
// on acknowledging. With Sentinel therefore min_replicas is 1 by default; with 0, or where the replica that
// acknowledged is not the one promoted, two may lead until the first one's term is over, and only the number tells them
// apart. Expiry follows the server's wall clock: set forward, it frees the key early (whoever saw the record waits it
// out all the same). A server that evicts keys (maxmemory-policy other than noeviction) may drop the record, which ends
// the term.
//
// In a Cluster each write is broadcast to all nodes, as Redis does with what is published.
//
// Needs Redis 5 or newer; tested with 7.0. An ACL user needs its keys and channels (~prefix:* &prefix:*
// &__keyspace@*__:prefix:*) and +eval +evalsha +get +set +strlen +pttl +time +publish +subscribe +unsubscribe +ping,
// +select for a database, +role and +wait with Sentinel, +asking in a Cluster. Without +subscribe or +publish followers
// poll. Never KEYS, never FLUSH.
class LEADERELECTION_EXPORT RedisLock final : public ResourceLock {
 public:
  // Throws std::invalid_argument, naming each, if the client or the name is missing.
  RedisLock(std::shared_ptr<RedisClient> client, const std::string& name);
  ~RedisLock() override;

  void Get(MonotonicTime deadline, Done<Stored> done) override;
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override;
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override;
  [[nodiscard]] std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) override;
  [[nodiscard]] std::string Describe() const override;

 private:
  class Requests;
  const std::shared_ptr<RedisClient> client_;
  const std::shared_ptr<Requests> requests_;
};

}  // namespace leaderelection

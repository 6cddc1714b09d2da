// What a RedisClient holds: the thread, and whom it talks to.

#pragma once

#include <memory>
#include <string>

#include "leaderelection/redis_lock.h"
#include "net/io_thread.h"
#include "redis/redis_options.h"
#include "redis/servers.h"

namespace leaderelection {

class RedisClient::Inside {
 public:
  explicit Inside(const RedisOptions& options);
  // Answers what is under way, unless it is the thread itself that ends it: then what has not been answered is dropped.
  ~Inside();

  // From any thread.
  void Run(redis::ScriptCall call, MonotonicTime deadline, redis::ReplyHandler handler);

  [[nodiscard]] net::IoThread& io() { return io_; }
  [[nodiscard]] const std::shared_ptr<redis::Servers>& servers() const { return servers_; }
  [[nodiscard]] const std::string& key_prefix() const { return key_prefix_; }

 private:
  const std::string key_prefix_;
  net::IoThread io_;
  const std::shared_ptr<redis::Servers> servers_;
};

}  // namespace leaderelection

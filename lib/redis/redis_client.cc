#include "redis/redis_client.h"

#include <utility>

#include "redis/cluster.h"
#include "redis/finder.h"
#include "redis/sentinel.h"

namespace leaderelection {
namespace {

std::shared_ptr<redis::Servers> MakeServers(boost::asio::io_context& context, redis::CheckedOptions options) {
  if (options.is_cluster)
    return std::make_shared<redis::Cluster>(context, std::move(options.servers), std::move(options.node));
  std::shared_ptr<redis::Finder> finder;
  if (options.sentinels.empty()) {
    finder = std::make_shared<redis::FixedFinder>(options.servers.front());
  } else {
    finder = std::make_shared<redis::SentinelFinder>(
        context, std::move(options.sentinels), std::move(options.sentinel_master), std::move(options.sentinel_link));
  }
  return std::make_shared<redis::OneServer>(context, std::move(finder), std::move(options.node));
}

}  // namespace

RedisClient::Inside::Inside(const RedisOptions& options)
    : key_prefix_(options.key_prefix), servers_(MakeServers(io_.context(), redis::Check(options))) {}

RedisClient::Inside::~Inside() {
  io_.RunAndWait([this] { servers_->Close(); });
}

void RedisClient::Inside::Run(redis::ScriptCall call, MonotonicTime deadline, redis::ReplyHandler handler) {
  io_.Post([servers = std::weak_ptr(servers_), call = std::make_shared<const redis::ScriptCall>(std::move(call)),
            deadline, handler = std::move(handler)]() mutable {
    if (const auto open = servers.lock()) open->Run(std::move(call), deadline, std::move(handler));
  });
}

RedisClient::RedisClient(const RedisOptions& options) : inside_(std::make_shared<Inside>(options)) {}

RedisClient::~RedisClient() = default;

}  // namespace leaderelection

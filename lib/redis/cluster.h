// A Redis Cluster: each election's key is on one of its nodes, and may move.

#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "redis/servers.h"

namespace leaderelection::redis {

// Lives on the context's thread. Asks any node, and learns from MOVED where a key is; ASK is followed for the one
// request it was said to. A node that fails is asked again only after the others.
class Cluster final : public Servers, public std::enable_shared_from_this<Cluster> {
 public:
  Cluster(boost::asio::io_context& context, std::vector<net::Endpoint> seeds, NodeSettings settings);

  void Run(std::shared_ptr<const ScriptCall> call, MonotonicTime deadline, ReplyHandler handler) override;
  void Locate(const std::string& key, MonotonicTime deadline,
              std::function<void(Result<std::shared_ptr<Node>>)> located) override;
  void Close() override;

 private:
  struct Errand;

  void Attempt(const std::shared_ptr<Errand>& errand, const net::Endpoint& server, bool asking);
  void Answered(const std::shared_ptr<Errand>& errand, const net::Endpoint& server, bool asking,
                const Result<Reply>& reply);
  void Moved(const std::string& key, const net::Endpoint& server);
  void Forget(const std::string& key);
  [[nodiscard]] net::Endpoint OwnerOf(const std::string& key) const;
  [[nodiscard]] std::shared_ptr<Node> NodeAt(const net::Endpoint& server);

  boost::asio::io_context& context_;
  const NodeSettings settings_;
  bool closed_ = false;
  std::vector<net::Endpoint> known_;  // the seeds, then those heard of
  std::size_t next_ = 0;              // whom to ask about a key of which nothing is known
  std::map<std::string, net::Endpoint> owners_;
  std::map<std::string, std::shared_ptr<Node>> nodes_;  // by address
};

}  // namespace leaderelection::redis

// All that is shared by the elections on one server: three connections at most, whatever their number.

#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

#include "redis/link.h"
#include "redis/replicated_writes.h"
#include "redis/script.h"
#include "redis/subscriptions.h"

namespace leaderelection::redis {

struct NodeSettings {
  LinkSettings link;
  int min_replicas = 0;  // that must have a write before it counts
};

// Lives on the context's thread.
class Node : public std::enable_shared_from_this<Node> {
 public:
  Node(boost::asio::io_context& context, std::shared_ptr<Finder> finder, NodeSettings settings);

  void Start();  // once, before anything else
  // Runs the script by its name, and by its text if the server does not know it yet. An error is a Reply. `asking`: the
  // server is to serve a key that is on its way to it.
  void Run(const std::shared_ptr<const ScriptCall>& call, bool asking, MonotonicTime deadline, ReplyHandler handler);
  [[nodiscard]] Subscriptions& subscriptions() { return *subscriptions_; }
  void Close();

 private:
  void Reset(const Error& why);
  void CheckPlace(const Error& doubt);
  void Send(const ScriptCall& call, bool by_text, bool asking, MonotonicTime deadline, ReplyHandler handler);

  boost::asio::io_context& context_;
  const std::shared_ptr<Finder> finder_;
  const NodeSettings settings_;
  std::shared_ptr<Link> commands_;
  std::shared_ptr<Link> write_link_;  // null unless replicas have to acknowledge
  std::shared_ptr<ReplicatedWrites> writes_;
  std::shared_ptr<Subscriptions> subscriptions_;
};

}  // namespace leaderelection::redis

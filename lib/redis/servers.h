// Whom to ask about an election: one server, wherever it is, or a Cluster's node.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "redis/node.h"

namespace leaderelection::redis {

// Lives on the context's thread.
class Servers {
 public:
  virtual ~Servers() = default;

  // An error of the server is a Reply; no answer is an Error.
  virtual void Run(std::shared_ptr<const ScriptCall> call, MonotonicTime deadline, ReplyHandler handler) = 0;
  // The node whose channels tell of the key.
  virtual void Locate(const std::string& key, MonotonicTime deadline,
                      std::function<void(Result<std::shared_ptr<Node>>)> located) = 0;
  virtual void Close() = 0;
};

class OneServer final : public Servers {
 public:
  OneServer(boost::asio::io_context& context, std::shared_ptr<Finder> finder, NodeSettings settings);

  void Run(std::shared_ptr<const ScriptCall> call, MonotonicTime deadline, ReplyHandler handler) override;
  void Locate(const std::string& key, MonotonicTime deadline,
              std::function<void(Result<std::shared_ptr<Node>>)> located) override;
  void Close() override;

 private:
  const std::shared_ptr<Node> node_;
};

}  // namespace leaderelection::redis

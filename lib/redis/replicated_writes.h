// Writes that count only once replicas have them: WAIT, on a connection of its own.

#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "redis/link.h"
#include "redis/request.h"

namespace leaderelection::redis {

// Redis acknowledges a write before any replica has it. WAIT asks how many replicas have all that its own connection
// wrote so far, and holds up that connection until they do; so the writes go where nobody else waits. Those that come
// while one WAIT is under way share the next.
//
// Lives on the context's thread. A write without enough replicas is kUnknown: the primary has it, and may lose it.
class ReplicatedWrites : public std::enable_shared_from_this<ReplicatedWrites> {
 public:
  // `on_shortfall` is called if too few replicas answered: the server may be cut off from them, and replaced already.
  ReplicatedWrites(boost::asio::io_context& context, std::shared_ptr<Link> link, int replicas,
                   std::function<void(const Error&)> on_shortfall);

  // One write, with what has to precede it on its connection.
  void Send(std::vector<RequestPtr> group);

 private:
  struct Batch;

  void Flush();
  void Enlist(const std::shared_ptr<Batch>& batch, const RequestPtr& write, std::vector<RequestPtr>& requests);
  void Finish(const std::shared_ptr<Batch>& batch, const Result<Reply>& waited);

  boost::asio::io_context& context_;
  const std::shared_ptr<Link> link_;
  const int replicas_;
  const std::function<void(const Error&)> on_shortfall_;
  std::vector<std::vector<RequestPtr>> queue_;
  bool waiting_ = false;
};

}  // namespace leaderelection::redis

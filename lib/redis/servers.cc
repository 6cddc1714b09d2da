#include "redis/servers.h"

#include <utility>

namespace leaderelection::redis {

OneServer::OneServer(boost::asio::io_context& context, std::shared_ptr<Finder> finder, NodeSettings settings)
    : node_(std::make_shared<Node>(context, std::move(finder), std::move(settings))) {
  node_->Start();
}

void OneServer::Run(std::shared_ptr<const ScriptCall> call, MonotonicTime deadline, ReplyHandler handler) {
  node_->Run(call, /*asking=*/false, deadline, std::move(handler));
}

void OneServer::Locate(const std::string& /*key*/, MonotonicTime /*deadline*/,
                       std::function<void(Result<std::shared_ptr<Node>>)> located) {
  located(node_);
}

void OneServer::Close() { node_->Close(); }

}  // namespace leaderelection::redis

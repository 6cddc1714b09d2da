#include "redis/cluster.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "redis/url.h"

namespace leaderelection::redis {
namespace {

// A Cluster at peace needs one, one that moves a slot two.
constexpr int kMostRedirections = 8;
constexpr std::size_t kMostNodes = 1000;

// "MOVED 3999 127.0.0.1:6381"; an address without a host, or with "?" for one, means the host that said it.
std::optional<net::Endpoint> Target(const std::string& text, const net::Endpoint& said_by) {
  const auto begin = text.rfind(' ');
  const auto colon = text.rfind(':');
  if (begin == std::string::npos || colon == std::string::npos || colon < begin) return std::nullopt;
  std::string host = text.substr(begin + 1, colon - begin - 1);
  if (host.empty() || host == "?") host = said_by.host;
  const auto port = ParseNumber(std::string_view(text).substr(colon + 1), 1, 65535);
  if (!port) return std::nullopt;
  return net::Endpoint{std::move(host), static_cast<std::uint16_t>(*port)};
}

}  // namespace

struct Cluster::Errand {
  std::shared_ptr<const ScriptCall> call;
  MonotonicTime deadline;
  ReplyHandler handler;
  int redirections = 0;
};

Cluster::Cluster(boost::asio::io_context& context, std::vector<net::Endpoint> seeds, NodeSettings settings)
    : context_(context), settings_(std::move(settings)), known_(std::move(seeds)) {}

void Cluster::Run(std::shared_ptr<const ScriptCall> call, MonotonicTime deadline, ReplyHandler handler) {
  const net::Endpoint server = OwnerOf(call->key);
  Attempt(std::make_shared<Errand>(Errand{std::move(call), deadline, std::move(handler)}), server, /*asking=*/false);
}

// The answer does not matter, only who gives it.
void Cluster::Locate(const std::string& key, MonotonicTime deadline,
                     std::function<void(Result<std::shared_ptr<Node>>)> located) {
  Run(std::make_shared<const ScriptCall>(ScriptCall{&kGetScript, key, {}}), deadline,
      [weak = weak_from_this(), key, located = std::move(located)](const Result<Reply>& reply) {
        const auto self = weak.lock();
        if (!self || self->closed_) return;
        if (!reply) return located(reply.error());
        located(self->NodeAt(self->OwnerOf(key)));
      });
}

void Cluster::Attempt(const std::shared_ptr<Errand>& errand, const net::Endpoint& server, bool asking) {
  if (closed_) return errand->handler(Error{ErrorCode::kUnknown, "Redis: the client was closed", std::nullopt});
  NodeAt(server)->Run(errand->call, asking, errand->deadline,
                      [weak = weak_from_this(), errand, server, asking](const Result<Reply>& reply) {
                        const auto self = weak.lock();
                        if (!self) return errand->handler(reply);
                        self->Answered(errand, server, asking, reply);
                      });
}

void Cluster::Answered(const std::shared_ptr<Errand>& errand, const net::Endpoint& server, bool asking,
                       const Result<Reply>& reply) {
  const std::string& key = errand->call->key;
  if (!reply || reply->ErrorWord() == "CLUSTERDOWN") {
    Forget(key);
    return errand->handler(reply);
  }
  const bool moved = reply->ErrorWord() == "MOVED";
  if (!moved && reply->ErrorWord() != "ASK") {
    if (!asking) owners_[key] = server;
    return errand->handler(reply);
  }
  const auto target = Target(reply->text, server);
  if (!target || ++errand->redirections > kMostRedirections) {
    Forget(key);
    return errand->handler(
        Error{ErrorCode::kThrottled, "Redis " + key + ": the Cluster's nodes send us in a circle", std::nullopt});
  }
  if (moved) Moved(key, *target);
  Attempt(errand, *target, /*asking=*/!moved);
}

void Cluster::Moved(const std::string& key, const net::Endpoint& server) {
  const auto before = owners_.find(key);
  const std::string old_address = before == owners_.end() ? "" : ToString(before->second);
  owners_[key] = server;
  const std::string address = ToString(server);
  const bool is_known =
      std::any_of(known_.begin(), known_.end(), [&](const net::Endpoint& node) { return ToString(node) == address; });
  if (!is_known && known_.size() < kMostNodes) known_.push_back(server);
  if (old_address.empty() || old_address == address) return;
  if (const auto old = nodes_.find(old_address); old != nodes_.end())
    old->second->subscriptions().Drop(key, {ErrorCode::kUnknown, "Redis " + key + " has moved", std::nullopt});
}

void Cluster::Forget(const std::string& key) {
  owners_.erase(key);
  ++next_;
}

net::Endpoint Cluster::OwnerOf(const std::string& key) const {
  const auto owner = owners_.find(key);
  return owner != owners_.end() ? owner->second : known_[next_ % known_.size()];
}

std::shared_ptr<Node> Cluster::NodeAt(const net::Endpoint& server) {
  auto& node = nodes_[ToString(server)];
  if (!node) {
    node = std::make_shared<Node>(context_, std::make_shared<FixedFinder>(server), settings_);
    node->Start();
  }
  return node;
}

void Cluster::Close() {
  closed_ = true;
  for (const auto& [address, node] : std::exchange(nodes_, {})) node->Close();
}

}  // namespace leaderelection::redis

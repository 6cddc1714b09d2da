#include "redis/node.h"

#include <string>
#include <utility>

#include "redis/refusal.h"

namespace leaderelection::redis {

Node::Node(boost::asio::io_context& context, std::shared_ptr<Finder> finder, NodeSettings settings)
    : context_(context), finder_(std::move(finder)), settings_(std::move(settings)) {}

void Node::Start() {
  commands_ = std::make_shared<Link>(context_, finder_, settings_.link);
  subscriptions_ = std::make_shared<Subscriptions>(context_, finder_, settings_.link);
  subscriptions_->Start();
  if (settings_.min_replicas == 0) return;
  write_link_ = std::make_shared<Link>(context_, finder_, settings_.link);
  writes_ = std::make_shared<ReplicatedWrites>(context_, write_link_, settings_.min_replicas,
                                               [weak = weak_from_this()](const Error& why) {
                                                 if (const auto self = weak.lock()) self->CheckPlace(why);
                                               });
}

void Node::Run(const std::shared_ptr<const ScriptCall>& call, bool asking, MonotonicTime deadline,
               ReplyHandler handler) {
  Send(*call, /*by_text=*/false, asking, deadline,
       [weak = weak_from_this(), call, asking, deadline, handler = std::move(handler)](Result<Reply> reply) {
         const auto self = weak.lock();
         if (self && reply && reply->ErrorWord() == "NOSCRIPT")
           return self->Send(*call, /*by_text=*/true, asking, deadline, handler);
         handler(reply);
         if (self && reply && MeansWrongServer(*reply)) self->Reset(Refusal(*reply, "connection"));
       });
}

void Node::Send(const ScriptCall& call, bool by_text, bool asking, MonotonicTime deadline, ReplyHandler handler) {
  const Script& script = *call.script;
  Command command{by_text ? "EVAL" : "EVALSHA", std::string(by_text ? script.text : script.sha1), "1", call.key};
  command.insert(command.end(), call.arguments.begin(), call.arguments.end());
  std::vector<RequestPtr> group;
  if (asking) group.push_back(std::make_shared<Request>(context_, Command{"ASKING"}, deadline, [](const auto&) {}));
  group.push_back(std::make_shared<Request>(context_, std::move(command), deadline, std::move(handler)));
  if (script.writes && writes_) {
    writes_->Send(std::move(group));
  } else {
    commands_->Send(std::move(group));
  }
}

// The server may not be the one any more: every connection looks for it afresh.
void Node::Reset(const Error& why) {
  const auto self = shared_from_this();
  commands_->Reset(why);
  if (write_link_) write_link_->Reset(why);
  subscriptions_->Reset(why);
}

// A server without its replicas may have been replaced without knowing; whoever knows better is asked.
void Node::CheckPlace(const Error& doubt) {
  finder_->Find(BootClock::now() + settings_.link.connect_timeout,
                [weak = weak_from_this(), doubt](const Result<net::Endpoint>& found) {
                  const auto self = weak.lock();
                  if (self && found && self->write_link_->LeadsElsewhereThan(*found)) self->Reset(doubt);
                });
}

void Node::Close() {
  const auto self = shared_from_this();
  commands_->Close();
  if (write_link_) write_link_->Close();
  subscriptions_->Close();
}

}  // namespace leaderelection::redis

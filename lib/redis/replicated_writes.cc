#include "redis/replicated_writes.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leaderelection::redis {
namespace {

using namespace std::chrono_literals;

// Replicas answer within a round trip. Those that have not by now are gone, and the next writes wait behind this one.
constexpr auto kLongestWait = 1000ms;
// On top of it, for the answer itself.
constexpr auto kGrace = 1000ms;

bool WroteSomething(const Reply& reply) {
  return reply.kind == Reply::Kind::kArray && !reply.elements.empty() && reply.elements[0].text == "stored";
}

}  // namespace

struct ReplicatedWrites::Batch {
  struct Held {
    RequestPtr write;
    Reply reply;
  };
  std::vector<Held> held;  // written, not yet known to be replicated
  bool is_over = false;    // WAIT was answered, or never will be
};

ReplicatedWrites::ReplicatedWrites(boost::asio::io_context& context, std::shared_ptr<Link> link, int replicas,
                                   std::function<void(const Error&)> on_shortfall)
    : context_(context), link_(std::move(link)), replicas_(replicas), on_shortfall_(std::move(on_shortfall)) {}

void ReplicatedWrites::Send(std::vector<RequestPtr> group) {
  if (group.back()->deadline <= BootClock::now()) {
    for (const RequestPtr& request : group)
      request->Finish(Error{ErrorCode::kTimeout, "Redis: the deadline had passed before it was sent", std::nullopt});
    return;
  }
  for (const RequestPtr& request : group) request->StartTimer([] {});
  queue_.push_back(std::move(group));
  if (!waiting_) Flush();
}

// Each write is sent by a double, whose answer is kept until that of WAIT is there.
void ReplicatedWrites::Flush() {
  const auto batch = std::make_shared<Batch>();
  std::vector<RequestPtr> requests;
  MonotonicTime last_deadline{};
  for (const auto& group : std::exchange(queue_, {})) {
    if (group.back()->finished()) continue;
    for (const RequestPtr& request : group) Enlist(batch, request, requests);
    last_deadline = std::max(last_deadline, group.back()->deadline);
  }
  if (requests.empty()) return;

  const MonotonicTime now = BootClock::now();
  const auto left = std::chrono::floor<std::chrono::milliseconds>(std::min(last_deadline, now + kLongestWait) - now);
  const auto time = std::max(left, 1ms);
  waiting_ = true;
  requests.push_back(
      std::make_shared<Request>(context_, Command{"WAIT", std::to_string(replicas_), std::to_string(time.count())},
                                now + time + kGrace, [weak = weak_from_this(), batch](const Result<Reply>& waited) {
                                  if (const auto self = weak.lock()) self->Finish(batch, waited);
                                }));
  link_->Send(std::move(requests));
}

void ReplicatedWrites::Enlist(const std::shared_ptr<Batch>& batch, const RequestPtr& write,
                              std::vector<RequestPtr>& requests) {
  requests.push_back(
      std::make_shared<Request>(context_, write->command, kNever, [batch, write](const Result<Reply>& reply) {
        if (reply && WroteSomething(*reply) && batch->is_over) {
          write->Finish(Error{ErrorCode::kUnknown, "Redis: it is not known whether a replica has the write", {}});
        } else if (reply && WroteSomething(*reply)) {
          batch->held.push_back({write, *reply});
        } else {
          write->Finish(reply);
        }
      }));
}

void ReplicatedWrites::Finish(const std::shared_ptr<Batch>& batch, const Result<Reply>& waited) {
  waiting_ = false;
  batch->is_over = true;
  const auto held = std::exchange(batch->held, {});
  if (waited && waited->kind == Reply::Kind::kInteger && waited->integer >= replicas_) {
    for (const auto& [write, reply] : held) write->Finish(reply);
  } else {
    const std::string acknowledged =
        waited && waited->kind == Reply::Kind::kInteger ? std::to_string(waited->integer) : "none";
    const std::string cause = !waited ? waited.error().message : waited->IsError() ? waited->text.substr(0, 100) : "";
    const Error error{ErrorCode::kUnknown,
                      "Redis: " + acknowledged + " of the " + std::to_string(replicas_) +
                          " replicas needed acknowledged the write in time" + (cause.empty() ? "" : " (" + cause + ")"),
                      std::nullopt};
    for (const auto& [write, reply] : held) write->Finish(error);
    if (!waited) link_->Reset(error);
    if (!held.empty() && waited) on_shortfall_(error);
  }
  if (!waiting_) Flush();
}

}  // namespace leaderelection::redis

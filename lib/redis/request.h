// One command under way: answered once, at the latest at its deadline.

#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "net/timer.h"
#include "redis/reply.h"

namespace leaderelection::redis {

using Command = std::vector<std::string>;
using ReplyHandler = std::function<void(Result<Reply>)>;

// Lives on the context's thread. An error the server answers with is a Reply; no answer at all is an Error.
class Request : public std::enable_shared_from_this<Request> {
 public:
  Request(boost::asio::io_context& context, Command words, MonotonicTime until, ReplyHandler handler)
      : command(std::move(words)), deadline(until), handler_(std::move(handler)), timer_(context) {}

  // What happens at the deadline, beside the answer: the connection may be dead.
  void StartTimer(std::function<void()> on_timeout) {
    if (deadline == kNever || finished()) return;
    timer_.expires_at(deadline);
    timer_.async_wait([weak = weak_from_this(), on_timeout = std::move(on_timeout)](const auto& cancelled) {
      const auto self = weak.lock();
      if (cancelled || !self || self->finished()) return;
      self->Finish(Error{ErrorCode::kTimeout, "Redis: no answer before the deadline", std::nullopt});
      on_timeout();
    });
  }

  void Finish(Result<Reply> result) {
    if (finished()) return;
    timer_.cancel();
    std::exchange(handler_, nullptr)(std::move(result));
  }

  [[nodiscard]] bool finished() const { return !handler_; }

  const Command command;
  const MonotonicTime deadline;
  MonotonicTime sent_at{};

 private:
  ReplyHandler handler_;
  net::Timer timer_;
};

using RequestPtr = std::shared_ptr<Request>;

}  // namespace leaderelection::redis

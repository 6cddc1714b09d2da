#include "redis/sentinel.h"

#include <utility>

#include "redis/refusal.h"
#include "redis/url.h"

namespace leaderelection::redis {

struct SentinelFinder::Search {
  Found found;
  MonotonicTime deadline;
  std::size_t next = 0;  // which sentinel, counted from the one asked first
  std::size_t first = 0;
  Error failure;  // of the first that failed, and what the others said
  std::shared_ptr<Connection> connection;

  [[nodiscard]] std::size_t Index(std::size_t count) const { return (first + next) % count; }
};

SentinelFinder::SentinelFinder(boost::asio::io_context& context, std::vector<net::Endpoint> sentinels,
                               std::string master, LinkSettings settings)
    : context_(context), sentinels_(std::move(sentinels)), master_(std::move(master)), settings_(std::move(settings)) {}

void SentinelFinder::Find(MonotonicTime deadline, Found found) {
  auto search = std::make_shared<Search>();
  search->found = std::move(found);
  search->deadline = deadline;
  search->first = preferred_;
  searches_.insert(search);
  AskNext(search);
}

void SentinelFinder::AskNext(const std::shared_ptr<Search>& search) {
  if (search->next == sentinels_.size()) {
    search->failure.message = "no sentinel tells the primary '" + master_ + "': " + search->failure.message;
    return End(search, search->failure);
  }
  const MonotonicTime now = BootClock::now();
  // Half of the time is left for the primary itself.
  Ask(search, now + (search->deadline - now) / static_cast<int>(sentinels_.size() - search->next + 1));
}

void SentinelFinder::Ask(const std::shared_ptr<Search>& search, MonotonicTime deadline) {
  std::shared_ptr<const net::TlsContext> tls;
  if (settings_.tls) {
    auto made = net::TlsContext::Make(*settings_.tls);
    if (!made) return Failed(search, made.error());
    tls = std::move(made).value();
  }
  const auto connection =
      std::make_shared<Connection>(context_, sentinels_[search->Index(sentinels_.size())], std::move(tls));
  search->connection = connection;
  // Nothing that the connection keeps may keep the search, which keeps the connection.
  const auto introduced = [weak = weak_from_this(), weak_search = std::weak_ptr(search), asked = connection.get(),
                           deadline](const Status& status) {
    const auto self = weak.lock();
    const auto current = weak_search.lock();
    if (self && current && current->connection.get() == asked) self->Introduced(current, deadline, status);
  };
  connection->Open(deadline, [weak = weak_from_this(), weak_search = std::weak_ptr(search), deadline,
                              introduced](const Status& opened) {
    const auto self = weak.lock();
    const auto current = weak_search.lock();
    if (!self || !current || !current->connection) return;
    if (!opened) return introduced(opened);
    Introduce(self->context_, current->connection, self->settings_.login, deadline, introduced);
  });
}

void SentinelFinder::Introduced(const std::shared_ptr<Search>& search, MonotonicTime deadline, const Status& status) {
  if (!status) return Failed(search, status.error());
  const auto question =
      std::make_shared<Request>(context_, Command{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master_}, deadline,
                                [weak = weak_from_this(), weak_search = std::weak_ptr(search),
                                 asked = search->connection.get()](const Result<Reply>& reply) {
                                  const auto self = weak.lock();
                                  const auto current = weak_search.lock();
                                  if (self && current && current->connection.get() == asked)
                                    self->Answered(current, reply);
                                });
  question->StartTimer([] {});
  search->connection->Send(question);
}

void SentinelFinder::Answered(const std::shared_ptr<Search>& search, const Result<Reply>& reply) {
  if (!reply) return Failed(search, reply.error());
  const std::size_t index = search->Index(sentinels_.size());
  const std::string name = "sentinel " + ToString(sentinels_[index]);
  if (reply->IsError()) return Failed(search, Refusal(*reply, name));
  const bool is_address = reply->kind == Reply::Kind::kArray && reply->elements.size() == 2;
  const auto port = is_address ? ParseNumber(reply->elements[1].text, 1, 65535) : std::nullopt;
  if (!port) return Failed(search, {ErrorCode::kInvalid, name + " does not know it", std::nullopt});
  preferred_ = index;
  End(search, net::Endpoint{reply->elements[0].text, static_cast<std::uint16_t>(*port)});
}

void SentinelFinder::End(const std::shared_ptr<Search>& search, Result<net::Endpoint> result) {
  const auto kept = search;
  searches_.erase(kept);
  if (const auto connection = std::exchange(kept->connection, nullptr))
    connection->Close({ErrorCode::kUnknown, "no longer needed", std::nullopt});
  kept->found(std::move(result));
}

void SentinelFinder::Failed(const std::shared_ptr<Search>& search, const Error& why) {
  if (const auto connection = std::exchange(search->connection, nullptr)) connection->Close(why);
  if (search->next++ == 0) {
    search->failure = why;
  } else {
    search->failure.message += "; " + why.message;
  }
  AskNext(search);
}

}  // namespace leaderelection::redis

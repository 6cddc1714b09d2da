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

  void End(Result<net::Endpoint> result) {
    if (connection) connection->Close({ErrorCode::kUnknown, "no longer needed", std::nullopt});
    connection = nullptr;
    std::exchange(found, nullptr)(std::move(result));
  }
};

SentinelFinder::SentinelFinder(boost::asio::io_context& context, std::vector<net::Endpoint> sentinels,
                               std::string master, LinkSettings settings)
    : context_(context), sentinels_(std::move(sentinels)), master_(std::move(master)), settings_(std::move(settings)) {}

void SentinelFinder::Find(MonotonicTime deadline, Found found) {
  auto search = std::make_shared<Search>();
  search->found = std::move(found);
  search->deadline = deadline;
  search->first = preferred_;
  AskNext(search);
}

void SentinelFinder::AskNext(const std::shared_ptr<Search>& search) {
  if (search->next == sentinels_.size()) {
    search->failure.message = "no sentinel tells the primary '" + master_ + "': " + search->failure.message;
    return search->End(search->failure);
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
  const std::size_t index = (search->first + search->next) % sentinels_.size();
  const auto connection = std::make_shared<Connection>(context_, sentinels_[index], std::move(tls));
  search->connection = connection;
  const auto self = shared_from_this();
  const auto answered = [self, search, index](const Result<Reply>& reply) {
    if (!search->found) return;
    if (!reply) return self->Failed(search, reply.error());
    const std::string name = "sentinel " + ToString(self->sentinels_[index]);
    if (reply->IsError()) return self->Failed(search, Refusal(*reply, name));
    const bool is_address = reply->kind == Reply::Kind::kArray && reply->elements.size() == 2;
    const auto port = is_address ? ParseNumber(reply->elements[1].text, 1, 65535) : std::nullopt;
    if (!port) return self->Failed(search, {ErrorCode::kInvalid, name + " does not know it", std::nullopt});
    self->preferred_ = index;
    search->End(net::Endpoint{reply->elements[0].text, static_cast<std::uint16_t>(*port)});
  };
  const auto introduced = [self, search, connection, deadline, answered](const Status& status) {
    if (search->connection != connection) return;
    if (!status) return self->Failed(search, status.error());
    const auto question = std::make_shared<Request>(
        self->context_, Command{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", self->master_}, deadline, answered);
    question->StartTimer([] {});
    connection->Send(question);
  };
  connection->Open(deadline, [self, search, connection, deadline, introduced](const Status& opened) {
    if (search->connection != connection) return;
    if (!opened) return introduced(opened);
    Introduce(self->context_, connection, self->settings_.login, deadline, introduced);
  });
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

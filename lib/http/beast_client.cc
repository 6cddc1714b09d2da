#include "http/beast_client.h"

#include <utility>

#include "http/beast_exchange.h"
#include "http/connection_pool.h"
#include "http/exchange.h"

namespace leaderelection::http {
namespace {

class BeastClient : public Client {
 public:
  BeastClient(net::Endpoint server, std::shared_ptr<net::IoThread> io)
      : server_(std::move(server)), io_(std::move(io)) {}

  ~BeastClient() override {
    io_->RunAndWait([this] {
      exchanges_->BreakAll();
      pool_->CloseAll();
    });
  }

  void Send(Request request, std::function<void(Result<Response>)> done) override {
    exchanges_->Start(*io_, std::make_shared<BeastExchange>(pool_, origin(), std::move(request), std::move(done)));
  }

  std::unique_ptr<Streaming> Stream(Request request, std::chrono::milliseconds silence, StreamEvents events) override {
    const auto exchange =
        std::make_shared<BeastExchange>(pool_, origin(), std::move(request), silence, std::move(events));
    exchanges_->Start(*io_, exchange);
    return std::make_unique<HeldExchange>(io_, exchange);
  }

 private:
  Exchange::Origin origin() { return {*io_, server_, exchanges_}; }

  const net::Endpoint server_;
  const std::shared_ptr<net::IoThread> io_;
  const std::shared_ptr<Exchanges> exchanges_ = std::make_shared<Exchanges>();
  const std::shared_ptr<ConnectionPool> pool_ = std::make_shared<ConnectionPool>();  // on the I/O thread only
};

}  // namespace

std::unique_ptr<Client> MakeBeastClient(net::Endpoint server, std::shared_ptr<net::IoThread> io) {
  return std::make_unique<BeastClient>(std::move(server), std::move(io));
}

}  // namespace leaderelection::http

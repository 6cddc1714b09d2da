#include "http/cpprest_client.h"

#include <boost/asio/ip/address_v6.hpp>
#include <utility>

#include "http/beast_client.h"
#include "http/cpprest_exchange.h"
#include "http/cpprest_process.h"
#include "http/cpprest_upstream.h"
#include "http/exchange.h"

namespace leaderelection::http {
namespace {

class CpprestClient : public Client {
 public:
  CpprestClient(net::Endpoint server, std::shared_ptr<net::IoThread> io)
      : server_(std::move(server)),
        io_(std::move(io)),
        at_exit_(CpprestProcess::Get().AtExit(
            [io = io_, exchanges = exchanges_, upstreams = upstreams_] { LetGo(*io, *exchanges, *upstreams); })) {}

  ~CpprestClient() override { LetGo(*io_, *exchanges_, *upstreams_); }

  void Send(Request request, std::function<void(Result<Response>)> done) override {
    exchanges_->Start(
        *io_, std::make_shared<CpprestExchange>(upstreams_, io_, origin(), std::move(request), std::move(done)));
  }

  std::unique_ptr<Streaming> Stream(Request request, std::chrono::milliseconds silence, StreamEvents events) override {
    const auto exchange =
        std::make_shared<CpprestExchange>(upstreams_, io_, origin(), std::move(request), silence, std::move(events));
    exchanges_->Start(*io_, exchange);
    return std::make_unique<HeldExchange>(io_, exchange);
  }

 private:
  static void LetGo(net::IoThread& io, Exchanges& exchanges, CpprestUpstreams& upstreams) {
    io.RunAndWait([&] {
      exchanges.BreakAll();
      upstreams.ForgetAll();
    });
  }

  Exchange::Origin origin() { return {*io_, server_, exchanges_}; }

  const net::Endpoint server_;
  const std::shared_ptr<net::IoThread> io_;
  const std::shared_ptr<Exchanges> exchanges_ = std::make_shared<Exchanges>();
  const std::shared_ptr<CpprestUpstreams> upstreams_ = std::make_shared<CpprestUpstreams>();  // on the I/O thread only
  const std::shared_ptr<void> at_exit_;
};

}  // namespace

std::unique_ptr<Client> MakeCpprestClient(net::Endpoint server, std::shared_ptr<net::IoThread> io) {
  boost::system::error_code not_an_address;
  boost::asio::ip::make_address_v6(server.host, not_an_address);
  if (!not_an_address) return MakeBeastClient(std::move(server), std::move(io));
  return std::make_unique<CpprestClient>(std::move(server), std::move(io));
}

}  // namespace leaderelection::http

// How long a small GET takes, one after the other on a connection that is there, by each who speaks HTTP here, as a
// multiple of what a bare socket takes to the same server on the same machine.

#include <benchmark/benchmark.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "http/beast_client.h"
#include "http/http_server.h"
#include "net/answer_box.h"
#include "net/certificates.h"
#ifdef LEADERELECTION_TESTS_CPPREST
#include "http/cpprest_client.h"
#endif

namespace leaderelection::http {
namespace {

using Clock = std::chrono::steady_clock;
using Make = std::unique_ptr<Client> (*)(net::Endpoint, std::shared_ptr<net::IoThread>);

std::string Hello() { return testing::Reply(200, std::string(600, 'x')); }

double Microseconds(Clock::duration time, benchmark::IterationCount count) {
  return std::chrono::duration<double, std::micro>(time).count() / static_cast<double>(count);
}

double floor_in_microseconds = 0;

void BareSocket(benchmark::State& state) {
  const testing::ScriptedServer server({}, testing::Answering([](const auto&) { return Hello(); }));
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket(context);
  socket.connect({boost::asio::ip::address_v4::loopback(), server.port()});
  socket.set_option(boost::asio::ip::tcp::no_delay(true));
  const std::string request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  std::string reply(Hello().size(), '\0');
  const auto start = Clock::now();
  for (auto _ : state) {
    boost::asio::write(socket, boost::asio::buffer(request));
    for (std::size_t size = 0; size < reply.size();)
      size += socket.read_some(boost::asio::buffer(reply.data() + size, reply.size() - size));
  }
  floor_in_microseconds = Microseconds(Clock::now() - start, state.iterations());
  state.counters["times_the_floor"] = 1;
}

void Get(benchmark::State& state, Make make, bool is_tls) {
  const testing::Authority authority;
  testing::ScriptedServer::Options options;
  std::shared_ptr<const net::TlsContext> tls;
  if (is_tls) {
    options.tls = {{authority.Issue({.addresses = {"127.0.0.1"}})}};
    tls = net::TlsContext::Make({.ca_pem = authority.pem()}).value();
  }
  const testing::ScriptedServer server(options, testing::Answering([](const auto&) { return Hello(); }));
  const auto client = make({"127.0.0.1", server.port()}, std::make_shared<net::IoThread>());
  const auto ask = [&] {
    testing::AnswerBox<bool> answered;
    client->Send({.deadline = BootClock::now() + std::chrono::minutes(1), .tls = tls},
                 [&](const Result<Response>& result) { answered.Put(result.ok()); });
    return answered.Take();
  };
  ask();
  const auto start = Clock::now();
  for (auto _ : state) {
    if (!ask()) state.SkipWithError("a request failed");
  }
  state.counters["times_the_floor"] = Microseconds(Clock::now() - start, state.iterations()) / floor_in_microseconds;
}

BENCHMARK(BareSocket)->UseRealTime();
BENCHMARK_CAPTURE(Get, beast, MakeBeastClient, false)->UseRealTime();
BENCHMARK_CAPTURE(Get, beast_tls, MakeBeastClient, true)->UseRealTime();
#ifdef LEADERELECTION_TESTS_CPPREST
BENCHMARK_CAPTURE(Get, cpprest, MakeCpprestClient, false)->UseRealTime();
BENCHMARK_CAPTURE(Get, cpprest_tls, MakeCpprestClient, true)->UseRealTime();
#endif

}  // namespace
}  // namespace leaderelection::http

#include "consul/transport.h"

#include <stdexcept>

#include "consul/address.h"
#include "http/beast_client.h"
#include "http/shared_io_thread.h"

namespace leaderelection::consul {
namespace {

constexpr std::size_t kLargestReply = 2UL << 20;  // A value has half a megabyte at most, a third more as base64.

bool IsHeaderText(const std::string& text) { return text.find_first_of(std::string("\r\n\0", 3)) == std::string::npos; }

std::string WrongOptions(const ConsulOptions& options, const Result<Address>& address) {
  std::string wrong;
  if (!address) wrong += "; address " + address.error().message;
  if (!options.token.empty() && !options.token_file.empty()) wrong += "; token and token_file are both given";
  if (!IsHeaderText(options.token)) wrong += "; token holds a line break";
  if (options.certificate_file.empty() != options.key_file.empty()) {
    wrong += "; of certificate_file and key_file only one is given";
  }
  return wrong;
}

// A server, or what stands before it, may repeat what it was sent.
Result<http::Response> WithoutToken(Result<http::Response> answer, const net::Secret& token) {
  if (token.empty() || !answer || answer->body.find(token.Reveal()) == std::string::npos) return answer;
  http::Response response = std::move(answer).value();
  for (std::size_t at = 0; (at = response.body.find(token.Reveal(), at)) != std::string::npos;) {
    response.body.replace(at, token.Reveal().size(), "<token>");
  }
  return response;
}

}  // namespace

std::shared_ptr<Transport> Transport::Make(const ConsulOptions& options) {
  // A client must not be destroyed in a callback of its own, and all of them are on the I/O thread.
  return {new Transport(options), [](Transport* transport) {
            if (!transport->io_->IsCurrent()) {
              delete transport;
              return;
            }
            const auto io = transport->io_;
            io->Post([transport] { delete transport; });
          }};
}

Transport::Transport(const ConsulOptions& options)
    : io_(http::SharedIoThread()), datacenter_(options.datacenter), namespace_(options.consul_namespace) {
  const auto address = ParseAddress(options.address);
  const std::string wrong = WrongOptions(options, address);
  if (!wrong.empty()) throw std::invalid_argument("ConsulOptions: " + wrong.substr(2));
  path_ = address->path;
  credentials_ = std::make_unique<Credentials>(options, address->tls);
  // Whatever LEADERELECTION_HTTP says: a watch breaks off a waiting query each time it ends, and cpprestsdk then tries
  // that query again on another connection, over TLS even while the process exits and OpenSSL is gone.
  client_ = http::MakeBeastClient(address->server, io_);
}

std::string Transport::Target(const Call& call) const {
  auto query = call.query;
  if (!datacenter_.empty()) query.emplace_back("dc", datacenter_);
  if (!namespace_.empty()) query.emplace_back("ns", namespace_);
  std::string target = path_ + call.path;
  char separator = '?';
  for (const auto& [name, value] : query) {
    target += separator + name;
    if (!value.empty()) target += "=" + PercentEncoded(value, /*keep_slash=*/false);
    separator = '&';
  }
  return target;
}

void Transport::Send(Call call, Answered done) {
  auto token = credentials_->Token();
  auto tls = credentials_->Tls();
  if (!token || !tls) {
    io_->Post([done = std::move(done), error = token ? tls.error() : token.error()] { done(error); });
    return;
  }
  http::Request request;
  request.method = std::move(call.method);
  request.target = Target(call);
  request.headers.emplace_back("User-Agent", "leaderelection");
  if (!token->empty()) request.headers.emplace_back("X-Consul-Token", token->Reveal());
  if (!call.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(call.body);
  request.deadline = call.deadline;
  request.largest_reply = kLargestReply;
  request.tls = std::move(tls).value();
  request.stop = std::move(call.stop);
  client_->Send(std::move(request), [token = std::move(token).value(), done = std::move(done)](auto answer) {
    done(WithoutToken(std::move(answer), token));
  });
}

}  // namespace leaderelection::consul

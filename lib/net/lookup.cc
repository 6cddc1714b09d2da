#include "net/lookup.h"

#include <ares.h>
#include <netdb.h>
#include <netinet/in.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstring>
#include <map>
#include <utility>

#include "net/timer.h"

namespace leaderelection::net {
namespace {

boost::asio::ip::address ToAddress(const sockaddr& socket_address) {
  if (socket_address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(socket_address);
    return boost::asio::ip::make_address_v4(ntohl(v4.sin_addr.s_addr));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(socket_address);
  boost::asio::ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return boost::asio::ip::make_address_v6(bytes, v6.sin6_scope_id);
}

}  // namespace

// One channel per look-up: to destroy it breaks off this look-up and no other, and each reads resolv.conf as it is now.
class Lookup::Query : public std::enable_shared_from_this<Query> {
 public:
  Query(boost::asio::io_context& context, std::string host, Done done)
      : context_(context), retry_(context), host_(std::move(host)), done_(std::move(done)) {}

  void Start(const Options& options) {
    boost::system::error_code not_an_address;
    const auto address = boost::asio::ip::make_address(host_, not_an_address);
    if (!not_an_address) return Finish(Addresses{address});

    static const int initialized = ares_library_init(ARES_LIB_INIT_ALL);
    if (initialized != ARES_SUCCESS) return Fail(initialized);
    ares_options channel_options{};
    channel_options.sock_state_cb = [](void* query, ares_socket_t socket, int read, int write) {
      static_cast<Query*>(query)->Watch(socket, read != 0, write != 0);
    };
    channel_options.sock_state_cb_data = this;
    int status = ares_init_options(&channel_, &channel_options, ARES_OPT_SOCK_STATE_CB);
    if (status != ARES_SUCCESS) {
      channel_ = nullptr;
      return Fail(status);
    }
    if (!options.name_servers.empty()) {
      status = ares_set_servers_ports_csv(channel_, options.name_servers.c_str());
      if (status != ARES_SUCCESS) return Fail(status);
    }
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(
        channel_, host_.c_str(), nullptr, &hints,
        [](void* query, int result, int, ares_addrinfo* found) { static_cast<Query*>(query)->Take(result, found); },
        this);
    Rearm();
  }

  void BreakOff() {
    done_ = nullptr;
    retry_.cancel();
    if (channel_) ares_destroy(std::exchange(channel_, nullptr));
    sockets_.clear();
  }

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;

  // A socket of c-ares, watched without owning it.
  struct Watched {
    Watched(boost::asio::io_context& context, int socket) : descriptor(context, socket) {}
    ~Watched() { descriptor.release(); }

    Descriptor descriptor;
    bool read = false;
    bool write = false;
  };

  void Watch(int socket, bool read, bool write) {
    if (!read && !write) {
      sockets_.erase(socket);
      return;
    }
    auto& watched = sockets_[socket];
    if (!watched) watched = std::make_shared<Watched>(context_, socket);
    const bool starts_reading = read && !watched->read;
    const bool starts_writing = write && !watched->write;
    watched->read = read;
    watched->write = write;
    if (starts_reading) AwaitRead(socket, watched);
    if (starts_writing) AwaitWrite(socket, watched);
  }

  void AwaitRead(int socket, const std::shared_ptr<Watched>& watched) {
    watched->descriptor.async_wait(
        Descriptor::wait_read, [self = shared_from_this(), socket, weak = std::weak_ptr(watched)](const auto& error) {
          if (error) return;
          self->Process(socket, ARES_SOCKET_BAD);
          if (const auto still = weak.lock(); still && still->read) self->AwaitRead(socket, still);
        });
  }

  void AwaitWrite(int socket, const std::shared_ptr<Watched>& watched) {
    watched->descriptor.async_wait(
        Descriptor::wait_write, [self = shared_from_this(), socket, weak = std::weak_ptr(watched)](const auto& error) {
          if (error) return;
          self->Process(ARES_SOCKET_BAD, socket);
          if (const auto still = weak.lock(); still && still->write) self->AwaitWrite(socket, still);
        });
  }

  void Process(ares_socket_t readable, ares_socket_t writable) {
    if (!channel_) return;
    ares_process_fd(channel_, readable, writable);
    Rearm();
  }

  // c-ares repeats its question when this falls due.
  void Rearm() {
    timeval left{};
    if (!channel_ || !done_ || !ares_timeout(channel_, nullptr, &left)) return;
    retry_.expires_after(std::chrono::seconds(left.tv_sec) + std::chrono::microseconds(left.tv_usec));
    retry_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->Process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    });
  }

  void Take(int status, ares_addrinfo* found) {
    Addresses addresses;
    for (auto* node = found ? found->nodes : nullptr; node; node = node->ai_next)
      addresses.push_back(ToAddress(*node->ai_addr));
    if (found) ares_freeaddrinfo(found);
    if (!done_) return;
    if (status != ARES_SUCCESS || addresses.empty()) return Fail(status == ARES_SUCCESS ? ARES_ENODATA : status);
    Finish(std::move(addresses));
  }

  void Fail(int status) {
    Finish(Error{ErrorCode::kUnknown, "cannot look up " + host_ + ": " + ares_strerror(status), std::nullopt});
  }

  // Not at once: c-ares calls back from inside itself, and `done` may destroy the Lookup.
  void Finish(Result<Addresses> result) {
    boost::asio::post(context_, [self = shared_from_this(), result = std::move(result)]() mutable {
      const auto done = std::exchange(self->done_, nullptr);
      self->BreakOff();
      if (done) done(std::move(result));
    });
  }

  boost::asio::io_context& context_;
  Timer retry_;
  const std::string host_;
  Done done_;
  ares_channel channel_ = nullptr;
  std::map<int, std::shared_ptr<Watched>> sockets_;
};

Lookup::Lookup(boost::asio::io_context& context, const std::string& host, const Options& options, Done done)
    : query_(std::make_shared<Query>(context, host, std::move(done))) {
  query_->Start(options);
}

Lookup::~Lookup() { query_->BreakOff(); }

}  // namespace leaderelection::net

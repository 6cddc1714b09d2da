// One look-up of a host name that can be broken off.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leaderelection/error.h"

namespace leaderelection::net {

using Addresses = std::vector<boost::asio::ip::address>;

// getaddrinfo blocks its thread for as long as a name server is silent, and cannot be broken off: a thread stuck in it
// would hold up the end of the process. So c-ares asks the name servers on the I/O thread: by /etc/hosts,
// /etc/resolv.conf with its search list, as Go's own resolver does, but without the plug-ins of nsswitch.conf.
//
// Lives on the context's thread. `done` is called once, there, after Start has returned, unless the Lookup is destroyed
// first: that breaks it off.
class Lookup {
 public:
  struct Options {
    std::string name_servers;  // "10.96.0.10,127.0.0.1:5353"; empty: those of the system
  };
  using Done = std::function<void(Result<Addresses>)>;

  Lookup(boost::asio::io_context& context, const std::string& host, Done done)
      : Lookup(context, host, Options(), done) {}
  Lookup(boost::asio::io_context& context, const std::string& host, const Options& options, Done done);
  ~Lookup();

 private:
  class Query;
  const std::shared_ptr<Query> query_;
};

}  // namespace leaderelection::net

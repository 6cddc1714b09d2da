// Connections to one server that wait for their next request.

#pragma once

#include <list>
#include <memory>

#include "leaderelection/clock.h"
#include "net/stream.h"
#include "net/tls.h"

namespace leaderelection::http {

// Lives on the I/O thread. A connection is only ever given out for the TLS context it was made with: a new authority or
// client certificate means new connections.
class ConnectionPool {
 public:
  // The one used last of those that the server has not closed meanwhile; null if there is none.
  std::shared_ptr<net::Stream> Take(const std::shared_ptr<const net::TlsContext>& tls);
  void Put(std::shared_ptr<net::Stream> stream, std::shared_ptr<const net::TlsContext> tls);
  void CloseAll();

 private:
  struct Idle {
    std::shared_ptr<net::Stream> stream;
    std::shared_ptr<const net::TlsContext> tls;  // kept, so that no other context gets its address
    MonotonicTime since;
  };

  void CloseOld();

  std::list<Idle> idle_;  // the one used last comes first
};

}  // namespace leaderelection::http

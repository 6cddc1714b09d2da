// Where the server to talk to is, asked anew before every connection.

#pragma once

#include <functional>
#include <utility>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "net/endpoint.h"

namespace leaderelection::redis {

class Finder {
 public:
  using Found = std::function<void(Result<net::Endpoint>)>;

  virtual ~Finder() = default;
  // `found` is called once, perhaps before this returns.
  virtual void Find(MonotonicTime deadline, Found found) = 0;
};

// Where it always was.
class FixedFinder final : public Finder {
 public:
  explicit FixedFinder(net::Endpoint server) : server_(std::move(server)) {}
  void Find(MonotonicTime /*deadline*/, Found found) override { found(server_); }

 private:
  const net::Endpoint server_;
};

}  // namespace leaderelection::redis

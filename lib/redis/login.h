// How a client introduces itself on a new connection.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "net/secret.h"
#include "redis/connection.h"

namespace leaderelection::redis {

struct Login {
  std::string username;  // empty: the default user
  net::Secret password;
  std::string password_file;  // read at each connection, so that a new password is found; counts before `password`
  int database = 0;
  bool must_be_primary = false;  // Sentinel may be behind: ask the server itself
};

// AUTH, SELECT and ROLE, as far as they are needed. `done` is called once; nothing is closed on failure.
void Introduce(boost::asio::io_context& context, const std::shared_ptr<Connection>& connection, const Login& login,
               MonotonicTime deadline, std::function<void(Status)> done);

}  // namespace leaderelection::redis

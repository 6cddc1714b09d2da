// The client over Boost.Beast.

#pragma once

#include <memory>

#include "http/client.h"
#include "net/io_thread.h"

namespace leaderelection::http {

// Everything happens on the thread given, which as many clients as like may share.
[[nodiscard]] std::unique_ptr<Client> MakeBeastClient(net::Endpoint server, std::shared_ptr<net::IoThread> io);

}  // namespace leaderelection::http

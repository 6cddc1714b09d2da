// The client over cpprestsdk.

#pragma once

#include <memory>

#include "http/client.h"
#include "net/io_thread.h"

namespace leaderelection::http {

// Callbacks come on the thread given, which as many clients as like may share; HTTP is spoken on cpprestsdk's own pool.
//
// Limits of cpprestsdk: it hands on a chunk of a reply only when it is complete, and keeps a chunk or a head of any
// size in memory until then or until the deadline; a reply that is not chunked comes in pieces of 64 KiB; copies of the
// bearer token in its memory are not wiped. Of several addresses the next is tried when one refuses, not when it is
// silent.
[[nodiscard]] std::unique_ptr<Client> MakeCpprestClient(net::Endpoint server, std::shared_ptr<net::IoThread> io);

}  // namespace leaderelection::http

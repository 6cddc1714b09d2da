// Sockets as every client here opens them.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

namespace leaderelection::net {

// Opens the socket: closed on exec, without Nagle's delay, with keep-alive probes and a limit on unacknowledged data,
// so that the kernel finds out about a peer that vanished in about half a minute, on an idle stream too.
void OpenSocket(boost::asio::ip::tcp::socket& socket, const boost::asio::ip::tcp& protocol,
                boost::system::error_code& error);

// Whether the peer has said anything, or has closed, on a connection where nothing is expected. Reads nothing.
bool HasUnexpectedInput(int socket);

}  // namespace leaderelection::net

// What broke a connection, in words for a person.

#pragma once

#include <boost/system/error_code.hpp>
#include <string>

namespace leaderelection::net {

// "connection refused", "no TLS on this port", "the server requires a client certificate"; holds no secret.
std::string DescribeFailure(const boost::system::error_code& error);

// The same for an error code of OpenSSL's queue.
std::string DescribeTlsFailure(unsigned long error);

}  // namespace leaderelection::net

#include "net/failure.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cctype>

namespace leaderelection::net {
namespace {

std::string Lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::string DescribeTlsFailure(unsigned long error) {
  switch (ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_DATA_LENGTH_TOO_LONG:
      return "no TLS on this port";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_VERSION_TOO_LOW:
      return "the server offers no TLS 1.2 or newer";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "the server requires a client certificate";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return std::string("the server refused our client certificate (") + ERR_reason_error_string(error) + ")";
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return "the server refused the TLS handshake (it may require a client certificate)";
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return "the server's certificate is not valid";
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
      return "connection closed by the server";
    default:
      break;
  }
  const char* reason = ERR_reason_error_string(error);
  return reason ? std::string("TLS error: ") + reason : "TLS error " + std::to_string(error);
}

std::string DescribeFailure(const boost::system::error_code& error) {
  if (error == boost::asio::error::eof || error == boost::asio::ssl::error::stream_truncated)
    return "connection closed by the server";
  if (error == boost::asio::error::connection_reset || error == boost::asio::error::broken_pipe)
    return "connection reset by the server";
  if (error.category() == boost::asio::error::get_ssl_category())
    return DescribeTlsFailure(static_cast<unsigned long>(error.value()));
  return Lowered(error.message());
}

}  // namespace leaderelection::net

#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "net/failure.h"

namespace leaderelection::net {
namespace {

template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
template <class T, void (*Free)(T*)>
using Owned = std::unique_ptr<T, Freer<T, Free>>;
void FreeBio(BIO* bio) { BIO_free(bio); }
void FreeFile(std::FILE* file) { std::fclose(file); }
void FreeNames(GENERAL_NAMES* names) { GENERAL_NAMES_free(names); }
using OwnedBio = Owned<BIO, FreeBio>;
using OwnedCertificate = Owned<X509, X509_free>;
using OwnedFile = Owned<std::FILE, FreeFile>;
using OwnedKey = Owned<EVP_PKEY, EVP_PKEY_free>;
using OwnedNames = Owned<GENERAL_NAMES, FreeNames>;

constexpr std::size_t kLargestFile = 16 << 20;

Error Invalid(std::string message) { return Error{ErrorCode::kInvalid, std::move(message), std::nullopt}; }

// OpenSSL's own default asks on the terminal.
int NoPassword(char*, int, int, void*) { return 0; }

OwnedBio ReadOnly(const std::string& text) {
  return OwnedBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Result<std::string> ReadFile(const std::string& what, const std::string& path) {
  errno = 0;
  std::string content;
  if (const OwnedFile file(std::fopen(path.c_str(), "rbe")); file) {
    char bytes[4096];
    std::size_t size = 0;
    while ((size = std::fread(bytes, 1, sizeof bytes, file.get())) > 0 && content.size() < kLargestFile)
      content.append(bytes, size);
    OPENSSL_cleanse(bytes, sizeof bytes);
  }
  if (errno == 0 && !content.empty()) return content;
  return Invalid("cannot read the " + what + " " + path + ": " +
                 (errno != 0 ? std::generic_category().message(errno) : "it is empty"));
}

std::vector<OwnedCertificate> ParseCertificates(const std::string& pem) {
  std::vector<OwnedCertificate> certificates;
  const OwnedBio bio = ReadOnly(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr))
    certificates.emplace_back(certificate);
  ERR_clear_error();
  return certificates;
}

std::string Where(const std::string& pem, const std::string& file) { return pem.empty() ? " (" + file + ")" : ""; }

Status TrustOnly(SSL_CTX* context, const TlsSettings& settings) {
  std::string pem = settings.ca_pem;
  if (pem.empty()) {
    auto content = ReadFile("CA file", settings.ca_file);
    if (!content) return content.error();
    pem = std::move(content).value();
  }
  const auto certificates = ParseCertificates(pem);
  if (certificates.empty())
    return Invalid("the CA" + Where(settings.ca_pem, settings.ca_file) + " holds no certificate");
  X509_STORE* store = X509_STORE_new();
  SSL_CTX_set_cert_store(context, store);
  for (const auto& certificate : certificates) X509_STORE_add_cert(store, certificate.get());
  return std::monostate();
}

Status Introduce(SSL_CTX* context, const TlsSettings& settings) {
  std::string pem = settings.certificate_pem;
  if (pem.empty()) {
    auto content = ReadFile("client certificate", settings.certificate_file);
    if (!content) return content.error();
    pem = std::move(content).value();
  }
  auto chain = ParseCertificates(pem);
  if (chain.empty() || SSL_CTX_use_certificate(context, chain.front().get()) != 1)
    return Invalid("the client certificate" + Where(settings.certificate_pem, settings.certificate_file) +
                   " is not a certificate in PEM form");
  for (std::size_t i = 1; i < chain.size(); ++i) SSL_CTX_add1_chain_cert(context, chain[i].get());

  Secret key_pem = settings.key_pem;
  if (key_pem.empty()) {
    auto content = ReadFile("client key", settings.key_file);
    if (!content) return content.error();
    key_pem = Secret(std::move(content).value());
  }
  const OwnedBio bio = ReadOnly(key_pem.Reveal());
  const OwnedKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  const std::string where = settings.key_pem.empty() ? " (" + settings.key_file + ")" : "";
  if (!key) return Invalid("the client key" + where + " is not an unencrypted private key in PEM form");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    ERR_clear_error();
    return Invalid("the client certificate and the client key" + where + " do not belong together");
  }
  return std::monostate();
}

bool IsAddress(const std::string& host) {
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  return !error;
}

// What a certificate says comes from a stranger and goes to a log.
std::string Printable(const unsigned char* text, int length) {
  std::string printable;
  for (int i = 0; i < length && i < 100; ++i)
    printable += text[i] > 0x20 && text[i] < 0x7f ? static_cast<char>(text[i]) : '?';
  return printable;
}

std::string AddressText(const ASN1_OCTET_STRING& address) {
  if (address.length == 4) {
    boost::asio::ip::address_v4::bytes_type bytes;
    std::memcpy(bytes.data(), address.data, bytes.size());
    return boost::asio::ip::make_address_v4(bytes).to_string();
  }
  if (address.length == 16) {
    boost::asio::ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), address.data, bytes.size());
    return boost::asio::ip::make_address_v6(bytes).to_string();
  }
  return "?";
}

std::string NamesOf(X509* certificate) {
  const OwnedNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string text;
  const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
  for (int i = 0; i < count && i < 8; ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
    if (!text.empty()) text += ", ";
    text += name->type == GEN_DNS ? Printable(name->d.dNSName->data, name->d.dNSName->length)
                                  : AddressText(*name->d.iPAddress);
  }
  return text.empty() ? "no name" : text;
}

bool ExpectAddress(SSL* connection, const std::string& address) {
  return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), address.c_str()) == 1;
}

bool ExpectHost(SSL* connection, const std::string& name) {
  // As in Go, the subject's common name is no name of a server.
  X509_VERIFY_PARAM_set_hostflags(SSL_get0_param(connection),
                                  X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(SSL_get0_param(connection), name.data(), name.size()) == 1;
}

struct Expectation {
  std::string name;
  bool insecure = false;
  std::shared_ptr<TlsVerdict> verdict;
};

void FreeExpectation(void*, void* expectation, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<Expectation*>(expectation);
}

int ExpectationIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, FreeExpectation);
  return index;
}

std::string DescribeRefusal(X509_STORE_CTX* chain, const std::string& name) {
  const int error = X509_STORE_CTX_get_error(chain);
  X509* leaf = X509_STORE_CTX_get0_cert(chain);
  const bool is_for_another = error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH;
  if (leaf && is_for_another) return "certificate is for " + NamesOf(leaf) + ", not " + name;
  return X509_verify_cert_error_string(error);
}

// Stands for the whole verification, so that whatever callback a library sets on its connection has no say in it.
int Verify(X509_STORE_CTX* chain, void*) {
  auto* connection = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  const auto* expected = static_cast<Expectation*>(SSL_get_ex_data(connection, ExpectationIndex()));
  if (expected && expected->insecure) return 1;

  // A connection whose mode was changed after Prepare would go on in spite of our answer.
  SSL_set_verify(connection, SSL_VERIFY_PEER, nullptr);
  if (!expected) {
    X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
  }
  X509_STORE_CTX_set_verify_cb(chain, [](int verified, X509_STORE_CTX*) { return verified; });
  const int verified = X509_verify_cert(chain) == 1 ? 1 : 0;
  if (!verified) expected->verdict->Refuse(DescribeRefusal(chain, expected->name));
  return verified;
}

}  // namespace

void TlsVerdict::Refuse(std::string cause) {
  const std::lock_guard lock(mutex_);
  cause_ = std::move(cause);
}

std::string TlsVerdict::cause() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

TlsContext::TlsContext(boost::asio::ssl::context context, std::string server_name, bool insecure)
    : context_(std::move(context)), server_name_(std::move(server_name)), insecure_(insecure) {}

Result<std::shared_ptr<const TlsContext>> TlsContext::Make(const TlsSettings& settings) {
  boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
  SSL_CTX* native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_verify(native, settings.insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(native, Verify, nullptr);
  // An intermediate authority can be the one to trust, as in Go.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(native), X509_V_FLAG_PARTIAL_CHAIN);

  if (!settings.ca_file.empty() || !settings.ca_pem.empty()) {
    if (Status trusted = TrustOnly(native, settings); !trusted) return trusted.error();
  } else if (!settings.insecure_skip_verify) {
    SSL_CTX_set_default_verify_paths(native);
  }

  const bool has_certificate = !settings.certificate_file.empty() || !settings.certificate_pem.empty();
  const bool has_key = !settings.key_file.empty() || !settings.key_pem.empty();
  if (has_certificate != has_key)
    return Invalid(has_key ? "a client key without a client certificate" : "a client certificate without a client key");
  if (has_certificate) {
    if (Status introduced = Introduce(native, settings); !introduced) return introduced.error();
  }
  return std::shared_ptr<const TlsContext>(
      new TlsContext(std::move(context), settings.server_name, settings.insecure_skip_verify));
}

boost::asio::ssl::context TlsContext::Share() const {
  SSL_CTX* native = context_.native_handle();
  SSL_CTX_up_ref(native);
  return boost::asio::ssl::context(native);
}

void TlsContext::Prepare(SSL* connection, const std::string& host, std::shared_ptr<TlsVerdict> verdict) const {
  std::string name = server_name_.empty() ? host : server_name_;
  if (name.ends_with('.')) name.pop_back();  // A complete name in DNS; certificates and SNI know no final dot.
  const bool is_address = IsAddress(name);
  if (!is_address) SSL_set_tlsext_host_name(connection, name.c_str());
  // An empty name would mean "any" to OpenSSL. Without an expectation, Verify refuses.
  const bool is_expected = is_address ? ExpectAddress(connection, name) : !name.empty() && ExpectHost(connection, name);
  if (!is_expected && !insecure_) return verdict->Refuse("'" + name + "' is no name or address that can be verified");
  SSL_set_ex_data(connection, ExpectationIndex(), new Expectation{name, insecure_, std::move(verdict)});
}

}  // namespace leaderelection::net

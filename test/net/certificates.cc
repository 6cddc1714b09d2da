#include "net/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <fstream>
#include <stdexcept>

namespace leaderelection::testing {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Key NewKey() { return Key(EVP_EC_gen("P-256"), EVP_PKEY_free); }

void Require(bool done) {
  if (!done) throw std::runtime_error("openssl refused to make a certificate");
}

void AddExtension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  Require(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

std::string Names(const CertificateWish& wish) {
  std::string names;
  for (const auto& name : wish.dns) names += (names.empty() ? "DNS:" : ",DNS:") + name;
  for (const auto& address : wish.addresses) names += (names.empty() ? "IP:" : ",IP:") + address;
  return names;
}

// Signed by the issuer, or by itself if there is none.
Certificate Make(const CertificateWish& wish, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, bool is_authority) {
  Certificate certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), 2);
  unsigned char serial[8];
  Require(RAND_bytes(serial, sizeof serial) == 1);
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.get()));
  BN_free(number);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), std::chrono::seconds(wish.valid_from).count());
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), std::chrono::seconds(wish.valid_until).count());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(wish.common_name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer ? issuer : certificate.get()));
  X509_set_pubkey(certificate.get(), key);
  X509* const signer = issuer ? issuer : certificate.get();
  if (is_authority) AddExtension(certificate.get(), signer, NID_basic_constraints, "critical,CA:TRUE");
  if (const auto names = Names(wish); !names.empty())
    AddExtension(certificate.get(), signer, NID_subject_alt_name, names);
  Require(X509_sign(certificate.get(), issuer_key ? issuer_key : key, EVP_sha256()) > 0);
  return certificate;
}

template <class Write>
std::string ToPem(Write write) {
  BIO* bio = BIO_new(BIO_s_mem());
  write(bio);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free(bio);
  return pem;
}

std::string ToPem(X509* certificate) {
  return ToPem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
}

std::string ToPem(EVP_PKEY* key) {
  return ToPem([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

}  // namespace

struct Authority::Identity {
  Key key = NewKey();
  Certificate certificate = Make({.common_name = "test authority"}, key.get(), nullptr, nullptr, true);
};

Authority::Authority() : identity_(std::make_unique<Identity>()) {}
Authority::~Authority() = default;

std::string Authority::pem() const { return ToPem(identity_->certificate.get()); }

Issued Authority::Issue(const CertificateWish& wish) const {
  const Key key = NewKey();
  const Certificate certificate = Make(wish, key.get(), identity_->certificate.get(), identity_->key.get(), false);
  return {ToPem(certificate.get()), ToPem(key.get())};
}

Issued SelfSigned(const CertificateWish& wish) {
  const Key key = NewKey();
  const Certificate certificate = Make(wish, key.get(), nullptr, nullptr, false);
  return {ToPem(certificate.get()), ToPem(key.get())};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "leaderelection-XXXXXX";
  if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(const std::string& name, const std::string& content) const {
  std::ofstream(path_ / name, std::ios::binary) << content;
  return path_ / name;
}

}  // namespace leaderelection::testing

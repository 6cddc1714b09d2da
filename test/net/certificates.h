// Certificates for the tests, made when they run.

#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace leaderelection::testing {

struct Issued {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

struct CertificateWish {
  std::vector<std::string> dns = {};
  std::vector<std::string> addresses = {};
  std::string common_name = "test";
  std::chrono::hours valid_from{-1};  // from now
  std::chrono::hours valid_until{24};
};

// A certificate authority that lives as long as the test.
class Authority {
 public:
  Authority();
  ~Authority();

  [[nodiscard]] std::string pem() const;
  [[nodiscard]] Issued Issue(const CertificateWish& wish) const;

 private:
  struct Identity;
  const std::unique_ptr<Identity> identity_;
};

Issued SelfSigned(const CertificateWish& wish);

// A folder that goes with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();

  [[nodiscard]] std::filesystem::path path() const { return path_; }
  std::string Write(const std::string& name, const std::string& content) const;  // gives back the file's path

 private:
  std::filesystem::path path_;
};

}  // namespace leaderelection::testing

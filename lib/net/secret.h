// Text that must not be printed: it has no operator<<, no conversion, and is wiped when it goes.

#pragma once

#include <openssl/crypto.h>

#include <string>
#include <utility>

namespace leaderelection::net {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  ~Secret() { OPENSSL_cleanse(text_.data(), text_.size()); }

  [[nodiscard]] bool empty() const { return text_.empty(); }
  // For the one place that hands it to the other side.
  [[nodiscard]] const std::string& Reveal() const { return text_; }

 private:
  std::string text_;
};

}  // namespace leaderelection::net

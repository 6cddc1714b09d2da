#include "kubernetes/base64.h"

#include <openssl/evp.h>

#include <vector>

namespace leaderelection {

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string compact;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') compact += c;
  }
  if (compact.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < compact.size() && compact[compact.size() - 1 - padding] == '=') ++padding;
  std::string bytes(compact.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(compact.data()), static_cast<int>(compact.size()));
  if (size < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::vector<unsigned char> text((bytes.size() + 2) / 3 * 4 + 1);
  const int size = EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  return {text.begin(), text.begin() + size};
}

}  // namespace leaderelection

#include "config_map.h"

#include <openssl/evp.h>

#include <array>
#include <nlohmann/json.hpp>

namespace example_operator {

namespace {

using Strings = std::map<std::string, std::string>;

Strings StringsIn(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? Strings() : found->get<Strings>();
}

// With its length in front, so that no two contents look alike.
void Append(std::string& text, const std::string& part) { text += std::to_string(part.size()) + ":" + part; }

void Append(std::string& text, const Strings& parts) {
  text += std::to_string(parts.size()) + ";";
  for (const auto& [key, value] : parts) {
    Append(text, key);
    Append(text, value);
  }
}

}  // namespace

leaderelection::Result<ConfigMap> ConfigMapFromJson(const nlohmann::json& object) {
  try {
    const nlohmann::json& metadata = object.at("metadata");
    return ConfigMap{.name = metadata.at("name").get<std::string>(),
                     .version = metadata.at("resourceVersion").get<std::string>(),
                     .data = StringsIn(object, "data"),
                     .binary_data = StringsIn(object, "binaryData"),
                     .annotations = StringsIn(metadata, "annotations")};
  } catch (const nlohmann::json::exception& wrong) {
    return {leaderelection::ErrorCode::kCorrupt, std::string("not a ConfigMap: ") + wrong.what()};
  }
}

std::string Checksum(const ConfigMap& map) {
  std::string text;
  Append(text, map.data);
  Append(text, map.binary_data);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string result = "sha256:";
  for (unsigned at = 0; at < size; ++at) {
    result += "0123456789abcdef"[digest[at] >> 4];
    result += "0123456789abcdef"[digest[at] & 0xf];
  }
  return result;
}

}  // namespace example_operator

// A ConfigMap, as far as the operator looks at it.

#pragma once

#include <leaderelection/error.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace example_operator {

struct ConfigMap {
  std::string name;
  std::string version;  // its resourceVersion: what a write is made against
  std::map<std::string, std::string> data;
  std::map<std::string, std::string> binary_data;  // base64, as the server has it
  std::map<std::string, std::string> annotations;
};

// kCorrupt if it is not one.
[[nodiscard]] leaderelection::Result<ConfigMap> ConfigMapFromJson(const nlohmann::json& object);

// "sha256:" and 64 digits; the same for the same contents, and for no other.
[[nodiscard]] std::string Checksum(const ConfigMap& map);

}  // namespace example_operator

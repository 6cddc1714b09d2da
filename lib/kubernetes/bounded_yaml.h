// YAML from a file: bounded in depth, size and aliases before anything is built of it, and never quoted in an error.

#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <utility>
#include <vector>

#include "leaderelection/error.h"

namespace leaderelection {

// kInvalid, saying where but not what, if it is no YAML or goes beyond a bound.
[[nodiscard]] Result<YAML::Node> ParseBoundedYaml(const std::string& text);

// A field that is not as it must be. `what` never holds a value.
struct YamlMismatch {
  std::string what;
};

// A map and what it is called in errors: "user 'a' in /x/config".
class YamlMap {
 public:
  YamlMap(YAML::Node node, std::string name);  // throws YamlMismatch if it is neither a map nor absent

  [[nodiscard]] bool Has(const char* key) const;
  // All throw YamlMismatch, naming the key, if it is there twice or is something else.
  [[nodiscard]] std::string Text(const char* key) const;
  [[nodiscard]] bool Flag(const char* key) const;
  [[nodiscard]] YamlMap Map(const char* key) const;
  [[nodiscard]] std::vector<std::string> Texts(const char* key) const;
  [[nodiscard]] std::vector<YamlMap> Maps(const char* key) const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] YamlMap Renamed(std::string name) const { return {node_, std::move(name)}; }

 private:
  [[nodiscard]] YAML::Node Find(const char* key) const;
  [[nodiscard]] std::string NameOf(const char* key) const;

  YAML::Node node_;
  std::string name_;
};

}  // namespace leaderelection

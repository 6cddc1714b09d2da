#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "options/suggestion.h"
#include "options/values.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

constexpr std::size_t kLargestFile = 1UL << 20;
constexpr int kDeepest = 8;
constexpr int kMostKeys = 1'000;

std::string Contents(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file && !file.eof()) {
    throw UsageError("cannot read configuration file " + path + ": " +
                     std::generic_category().message(errno != 0 ? errno : EIO));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) throw UsageError("configuration file " + path + " is larger than a mebibyte");
  return text;
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  ValueMap Read() {
    YAML::Node root;
    try {
      root = YAML::Load(Contents(path_));
    } catch (const YAML::Exception& error) {
      throw UsageError(path_ + ":" + std::to_string(error.mark.line + 1) + ": not YAML: " + error.msg);
    }
    if (root.IsNull()) return {};
    if (!root.IsMap()) throw UsageError(path_ + ": not a map of keys and values");
    Flatten(root, "", 0);
    return std::move(values_);
  }

 private:
  void Flatten(const YAML::Node& map, const std::string& above, int depth) {
    for (const auto& entry : map) {
      // Aliases let a few lines stand for billions of keys.
      if (++keys_ > kMostKeys) throw UsageError(path_ + ": too many keys");
      if (!entry.first.IsScalar()) throw UsageError(Place(entry.first) + "a key is not text");
      const std::string key = above + entry.first.Scalar();
      const auto options = Options();
      const auto found = std::find_if(options.begin(), options.end(),
                                      [&](const Option& option) { return !option.key.empty() && option.key == key; });
      if (found != options.end()) {
        const std::string source = Place(entry.first) + key;
        if (!values_.emplace(found->flag, Value{Texts(*found, entry.second, source), source}).second) {
          throw UsageError(source + " is given twice");
        }
      } else if (entry.second.IsMap() && depth < kDeepest) {
        Flatten(entry.second, key + ".", depth + 1);
      } else {
        ThrowUnknown(entry.first, key);
      }
    }
  }

  std::vector<std::string> Texts(const Option& option, const YAML::Node& node, const std::string& source) const {
    if (option.kind == Kind::kPairs) {
      if (!node.IsMap()) throw UsageError(source + ": a map of keys and values is expected");
      std::vector<std::string> pairs;
      for (const auto& pair : node) {
        if (!pair.first.IsScalar() || !pair.second.IsScalar()) throw UsageError(source + ": keys and values are text");
        pairs.push_back(pair.first.Scalar() + "=" + pair.second.Scalar());
      }
      return pairs;
    }
    if (!node.IsScalar()) throw UsageError(source + ": one value is expected");
    return {node.Scalar()};
  }

  [[noreturn]] void ThrowUnknown(const YAML::Node& node, const std::string& key) const {
    std::vector<std::string> keys;
    for (const Option& option : Options()) {
      if (!option.key.empty()) keys.emplace_back(option.key);
    }
    throw UsageError(Place(node) + "unknown key '" + key + "'" + Suggestion(key, keys));
  }

  std::string Place(const YAML::Node& node) const { return path_ + ":" + std::to_string(node.Mark().line + 1) + ": "; }

  const std::string path_;
  int keys_ = 0;
  ValueMap values_;
};

}  // namespace

ValueMap FromFile(const std::string& path) { return Reader(path).Read(); }

}  // namespace leaderelection::command

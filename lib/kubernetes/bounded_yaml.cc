#include "kubernetes/bounded_yaml.h"

#include <yaml-cpp/eventhandler.h>

#include <sstream>
#include <utility>

namespace leaderelection {
namespace {

constexpr int kDeepest = 32;
constexpr int kMostNodes = 100'000;
constexpr int kMostAliases = 100;

// Hears what the parser finds, before a tree is made of it.
class Bounds final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { Count(); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override { Count(); }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {
    if (++aliases_ > kMostAliases) throw YamlMismatch{"it has too many aliases"};
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    Enter();
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    Enter();
  }
  void OnMapEnd() override { --depth_; }

 private:
  void Count() {
    if (++nodes_ > kMostNodes) throw YamlMismatch{"it has too many values"};
  }
  void Enter() {
    Count();
    if (++depth_ > kDeepest) throw YamlMismatch{"it is nested too deeply"};
  }

  int depth_ = 0;
  int nodes_ = 0;
  int aliases_ = 0;
};

}  // namespace

Result<YAML::Node> ParseBoundedYaml(const std::string& text) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Bounds bounds;
    parser.HandleNextDocument(bounds);
    return YAML::Load(text);
  } catch (const YamlMismatch& mismatch) {
    return {ErrorCode::kInvalid, mismatch.what};
  } catch (const YAML::Exception& error) {
    // The parser's own message may quote the text.
    const bool has_place = !error.mark.is_null();
    return {ErrorCode::kInvalid, has_place ? "no YAML at line " + std::to_string(error.mark.line + 1) : "no YAML"};
  }
}

YamlMap::YamlMap(YAML::Node node, std::string name) : node_(std::move(node)), name_(std::move(name)) {
  if (node_.IsDefined() && !node_.IsNull() && !node_.IsMap()) throw YamlMismatch{name_ + " is not a map"};
}

std::string YamlMap::NameOf(const char* key) const { return std::string(key) + " of " + name_; }

YAML::Node YamlMap::Find(const char* key) const {
  YAML::Node found(YAML::NodeType::Undefined);
  if (!node_.IsDefined() || !node_.IsMap()) return found;
  bool is_found = false;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != key) continue;
    if (std::exchange(is_found, true)) throw YamlMismatch{NameOf(key) + " is given twice"};
    found.reset(entry.second);
  }
  return found;
}

bool YamlMap::Has(const char* key) const {
  const YAML::Node found = Find(key);
  return found.IsDefined() && !found.IsNull();
}

std::string YamlMap::Text(const char* key) const {
  const YAML::Node found = Find(key);
  if (!found.IsDefined() || found.IsNull()) return "";
  if (!found.IsScalar()) throw YamlMismatch{NameOf(key) + " is not a text"};
  return found.Scalar();
}

bool YamlMap::Flag(const char* key) const {
  const std::string text = Text(key);
  if (text.empty() || text == "false") return false;
  if (text == "true") return true;
  throw YamlMismatch{NameOf(key) + " is neither true nor false"};
}

YamlMap YamlMap::Map(const char* key) const { return {Find(key), NameOf(key)}; }

std::vector<std::string> YamlMap::Texts(const char* key) const {
  const YAML::Node found = Find(key);
  std::vector<std::string> texts;
  if (!found.IsDefined() || found.IsNull()) return texts;
  if (!found.IsSequence()) throw YamlMismatch{NameOf(key) + " is not a list"};
  for (const auto& item : found) {
    if (!item.IsScalar()) throw YamlMismatch{"an entry in " + NameOf(key) + " is not a text"};
    texts.push_back(item.Scalar());
  }
  return texts;
}

std::vector<YamlMap> YamlMap::Maps(const char* key) const {
  const YAML::Node found = Find(key);
  std::vector<YamlMap> maps;
  if (!found.IsDefined() || found.IsNull()) return maps;
  if (!found.IsSequence()) throw YamlMismatch{NameOf(key) + " is not a list"};
  for (const auto& item : found) maps.emplace_back(item, "an entry in " + NameOf(key));
  return maps;
}

}  // namespace leaderelection

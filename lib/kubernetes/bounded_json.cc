#include "kubernetes/bounded_json.h"

namespace leaderelection {
namespace {

Error Corrupt(std::string message) { return {ErrorCode::kCorrupt, std::move(message), std::nullopt}; }

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

// The library's own messages quote what they read, so only the position is taken from them.
Result<Json> ParseBoundedJson(std::string_view text, std::size_t largest) {
  if (text.empty()) return Corrupt("it is empty");
  if (text.size() > largest) return Corrupt("it is larger than " + std::to_string(largest) + " bytes");
  bool too_deep = false;
  const auto keep_shallow = [&too_deep](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepestJson) too_deep = true;
    return !too_deep;
  };
  try {
    Json parsed = Json::parse(text, keep_shallow);
    if (!too_deep) return parsed;
  } catch (const Json::exception& error) {
    const auto* syntax = dynamic_cast<const Json::parse_error*>(&error);
    if (!too_deep) return Corrupt(syntax ? "no JSON at byte " + std::to_string(syntax->byte) : "no JSON");
  }
  return Corrupt("it is nested deeper than " + std::to_string(kDeepestJson) + " levels");
}

std::string TextAt(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string Excerpt(std::string_view text, std::size_t longest) {
  const bool cut = text.size() > longest;
  while (cut && longest > 0 && IsContinuation(text[longest])) --longest;
  std::string excerpt(text.substr(0, longest));
  for (char& c : excerpt) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return excerpt + (cut ? "..." : "");
}

}  // namespace leaderelection

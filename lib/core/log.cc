#include "leaderelection/log.h"

#include <algorithm>

namespace leaderelection {
namespace {

bool IsControl(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7f;
}

bool NeedsQuotes(std::string_view value) {
  return value.empty() || std::any_of(value.begin(), value.end(), [](char character) {
           return IsControl(character) || character == ' ' || character == '=' || character == '"' || character == '\\';
         });
}

void AppendEscaped(std::string& line, char character) {
  static constexpr char kHexDigits[] = "0123456789abcdef";
  switch (character) {
    case '"':
      line += "\\\"";
      return;
    case '\\':
      line += "\\\\";
      return;
    case '\n':
      line += "\\n";
      return;
    case '\r':
      line += "\\r";
      return;
    case '\t':
      line += "\\t";
      return;
    default:
      break;
  }
  if (!IsControl(character)) {
    line += character;
    return;
  }
  const auto byte = static_cast<unsigned char>(character);
  line += "\\u00";
  line += kHexDigits[byte >> 4];
  line += kHexDigits[byte & 0xf];
}

void AppendValue(std::string& line, std::string_view value) {
  if (!NeedsQuotes(value)) {
    line += value;
    return;
  }
  line += '"';
  for (char character : value) AppendEscaped(line, character);
  line += '"';
}

// A key cannot be quoted, so what would end it or the line becomes an underscore.
void AppendKey(std::string& line, std::string_view key) {
  if (key.empty()) line += '_';
  for (char character : key) {
    const bool breaks = IsControl(character) || character == ' ' || character == '=' || character == '"';
    line += breaks ? '_' : character;
  }
}

void AppendField(std::string& line, std::string_view key, std::string_view value) {
  if (!line.empty()) line += ' ';
  AppendKey(line, key);
  line += '=';
  AppendValue(line, value);
}

}  // namespace

std::string_view ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::string ToLogfmt(const LogEvent& event) {
  std::string line;
  AppendField(line, "level", ToString(event.level));
  AppendField(line, "msg", event.message);
  for (const auto& [key, value] : event.fields) AppendField(line, key, value);
  return line;
}

}  // namespace leaderelection

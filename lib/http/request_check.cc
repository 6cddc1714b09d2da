#include "http/request_check.h"

#include <algorithm>
#include <array>

namespace leaderelection::http {
namespace {

constexpr std::array<std::string_view, 5> kOurs = {"Host", "Content-Length", "Authorization", "Transfer-Encoding",
                                                   "Connection"};

char Lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsVisible(char c) { return c > 0x20 && c < 0x7f; }

bool IsToken(std::string_view text) {
  constexpr std::string_view kSeparators = "()<>@,;:\\\"/[]?={}";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return IsVisible(c) && kSeparators.find(c) == std::string_view::npos;
  });
}

bool IsVisible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return IsVisible(c); });
}

bool IsValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
  });
}

Status Invalid(std::string message) { return Status(ErrorCode::kInvalid, std::move(message)); }

}  // namespace

bool IsSameName(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return Lowered(a) == Lowered(b); });
}

Status CheckRequest(const Request& request) {
  if (!IsToken(request.method)) return Invalid("the request's method is no word");
  if (!request.target.starts_with('/') || !IsVisible(std::string_view(request.target)))
    return Invalid("the request's target is no percent-encoded path");
  for (const auto& [name, value] : request.headers) {
    if (!IsToken(name)) return Invalid("a header's name is no word");
    if (std::any_of(kOurs.begin(), kOurs.end(),
                    [&sent = name](std::string_view ours) { return IsSameName(ours, sent); }))
      return Invalid("the header " + name + " is not the caller's to set");
    if (!IsValue(value)) return Invalid("the header " + name + " holds a character that cannot be sent");
  }
  if (!IsVisible(std::string_view(request.bearer_token.Reveal())))
    return Invalid("the bearer token holds a character that cannot be sent");
  return std::monostate();
}

}  // namespace leaderelection::http

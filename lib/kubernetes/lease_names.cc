#include "kubernetes/lease_names.h"

#include <algorithm>
#include <cstddef>

namespace leaderelection {
namespace {

bool IsAlphanumeric(char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); }

}  // namespace

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && text.size() <= 63 && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsAlphanumeric(c) || c == '-'; });
}

// As Kubernetes has it, the parts between the dots may be longer than 63: only the whole is bounded.
bool IsDnsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (part.empty() || !IsAlphanumeric(part.front()) || !IsAlphanumeric(part.back())) return false;
    if (!std::all_of(part.begin(), part.end(), [](char c) { return IsAlphanumeric(c) || c == '-'; })) return false;
    if (end == text.size()) return true;
    begin = end + 1;
  }
}

}  // namespace leaderelection

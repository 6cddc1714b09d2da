#include "options/suggestion.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace leaderelection::command {

namespace {

// Insertions, deletions and replacements that turn one into the other.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::string Suggestion(std::string_view wrong, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 100;
  if (wrong.size() > kLongest) return "";
  const std::string* nearest = nullptr;
  std::size_t distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string& name : names) {
    if (const std::size_t to_name = Distance(wrong, name); to_name < distance) {
      distance = to_name;
      nearest = &name;
    }
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

}  // namespace leaderelection::command

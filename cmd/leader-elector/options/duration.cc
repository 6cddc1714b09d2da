#include "options/duration.h"

#include <charconv>
#include <cmath>

#include "usage_error.h"

namespace leaderelection::command {

using std::chrono::milliseconds;

namespace {

constexpr double kLongest = 1000.0 * 60 * 60 * 24 * 365;

double Factor(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m") return 60 * 1000;
  if (unit == "h") return 60 * 60 * 1000;
  return 0;
}

bool IsLetter(char character) { return character >= 'a' && character <= 'z'; }

}  // namespace

milliseconds ParseDuration(std::string_view text, const std::string& source) {
  const auto wrong = [&](const std::string& why) {
    return UsageError(source + ": '" + std::string(text) + "' " + why);
  };
  const std::string not_one = "is not a duration; write it as 15s, 500ms or 1m30s";
  if (text.empty()) throw wrong(not_one);
  double sum = 0;
  for (std::string_view rest = text; !rest.empty();) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc() || rest.front() == '-' || !std::isfinite(number)) throw wrong(not_one);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    std::size_t letters = 0;
    while (letters < rest.size() && IsLetter(rest[letters])) ++letters;
    if (letters == 0 && rest.empty() && end == text.data() + text.size()) {
      throw wrong("has no unit; write " + std::string(text) + "s for seconds or " + std::string(text) +
                  "ms for milliseconds");
    }
    const double factor = Factor(rest.substr(0, letters));
    if (factor == 0) throw wrong(not_one);
    sum += number * factor;
    rest.remove_prefix(letters);
  }
  if (sum > kLongest) throw wrong("is longer than a year");
  return milliseconds(std::llround(sum));
}

std::string FormatDuration(milliseconds duration) {
  const auto count = duration.count();
  if (count % 1000 != 0) return std::to_string(count) + "ms";
  return std::to_string(count / 1000) + "s";
}

}  // namespace leaderelection::command

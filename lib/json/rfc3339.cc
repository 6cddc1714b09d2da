#include "json/rfc3339.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace leaderelection {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

constexpr WallTime kFirst = sys_days(std::chrono::year(1) / 1 / 1);
constexpr WallTime kAfterLast = sys_days(std::chrono::year(10000) / 1 / 1);

bool IsWritable(WallTime time) { return kFirst <= time && time < kAfterLast; }

bool IsDigit(char c) { return '0' <= c && c <= '9'; }

// Takes a text apart from the front; each step fails, and takes nothing, if it does not find what it wants.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool Take(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> Digits(std::size_t count, int lowest, int highest) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (!IsDigit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    if (value < lowest || value > highest) return std::nullopt;
    rest_.remove_prefix(count);
    return value;
  }

  bool AtEnd() const { return rest_.empty(); }
  std::size_t DigitsAhead() const {
    std::size_t count = 0;
    while (count < rest_.size() && IsDigit(rest_[count])) ++count;
    return count;
  }

 private:
  std::string_view rest_;
};

std::optional<sys_days> ReadDate(Reader& reader) {
  const auto year = reader.Digits(4, 1, 9999);
  if (!year || !reader.Take('-')) return std::nullopt;
  const auto month = reader.Digits(2, 1, 12);
  if (!month || !reader.Take('-')) return std::nullopt;
  const auto day = reader.Digits(2, 1, 31);
  if (!day) return std::nullopt;
  const auto date = std::chrono::year(*year) / *month / *day;
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

std::optional<seconds> ReadTimeOfDay(Reader& reader) {
  const auto hour = reader.Digits(2, 0, 23);
  if (!hour || !reader.Take(':')) return std::nullopt;
  const auto minute = reader.Digits(2, 0, 59);
  if (!minute || !reader.Take(':')) return std::nullopt;
  const auto second = reader.Digits(2, 0, 59);
  if (!second) return std::nullopt;
  return hours(*hour) + minutes(*minute) + seconds(*second);
}

std::optional<microseconds> ReadFraction(Reader& reader) {
  if (!reader.Take('.')) return microseconds(0);
  const std::size_t count = reader.DigitsAhead();
  if (count < 1 || count > 9) return std::nullopt;
  int nanoseconds = *reader.Digits(count, 0, 999'999'999);
  for (std::size_t place = count; place < 9; ++place) nanoseconds *= 10;
  return microseconds(nanoseconds / 1000);
}

std::optional<minutes> ReadOffset(Reader& reader) {
  if (reader.Take('Z')) return minutes(0);
  const bool east = reader.Take('+');
  if (!east && !reader.Take('-')) return std::nullopt;
  const auto hour = reader.Digits(2, 0, 23);
  if (!hour || !reader.Take(':')) return std::nullopt;
  const auto minute = reader.Digits(2, 0, 59);
  if (!minute) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return east ? offset : -offset;
}

}  // namespace

std::optional<std::string> FormatRfc3339(WallTime time) {
  if (!IsWritable(time)) return std::nullopt;
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time_of_day(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time_of_day.hours().count()), static_cast<int>(time_of_day.minutes().count()),
                static_cast<int>(time_of_day.seconds().count()), static_cast<int>(time_of_day.subseconds().count()));
  return std::string(text.data());
}

std::optional<WallTime> ParseRfc3339(std::string_view text) {
  Reader reader(text);
  const auto date = ReadDate(reader);
  if (!date || !reader.Take('T')) return std::nullopt;
  const auto time_of_day = ReadTimeOfDay(reader);
  if (!time_of_day) return std::nullopt;
  const auto fraction = ReadFraction(reader);
  if (!fraction) return std::nullopt;
  const auto offset = ReadOffset(reader);
  if (!offset || !reader.AtEnd()) return std::nullopt;
  const WallTime time = *date + *time_of_day + *fraction - *offset;
  if (!IsWritable(time)) return std::nullopt;
  return time;
}

}  // namespace leaderelection

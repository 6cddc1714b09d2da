// Times as text, held against the C library's calendar.

#include "json/rfc3339.h"

#include <cstdio>
#include <cstring>
#include <ctime>

#include "fuzz/target.h"

namespace leaderelection::fuzz {

namespace {

using std::chrono::floor;
using std::chrono::microseconds;
using std::chrono::seconds;

// The seconds of a text that has the form of a time, by timegm.
seconds ByTheCLibrary(const std::string& text) {
  std::tm date{};
  int taken = 0;
  const int fields = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &date.tm_year, &date.tm_mon, &date.tm_mday,
                                 &date.tm_hour, &date.tm_min, &date.tm_sec, &taken);
  Require(fields == 6, "a text that is a time has the fields of one");
  date.tm_year -= 1900;
  date.tm_mon -= 1;
  std::string zone = text.substr(static_cast<std::size_t>(taken));
  zone.erase(0, zone.find_first_of("Z+-"));
  int hours = 0;
  int minutes = 0;
  if (zone != "Z") Require(std::sscanf(zone.c_str() + 1, "%2d:%2d", &hours, &minutes) == 2, "an offset has two fields");
  const int offset = (hours * 60 + minutes) * 60 * (zone.front() == '-' ? -1 : 1);
  const std::tm given = date;
  const seconds found(::timegm(&date) - offset);
  // timegm makes 2 March of 30 February.
  Require(date.tm_mday == given.tm_mday && date.tm_hour == given.tm_hour && date.tm_sec == given.tm_sec,
          "a time is one that the calendar has");
  return found;
}

void ParseIsRight(std::string_view text) {
  const auto time = ParseRfc3339(text);
  if (!time) return;
  Require(floor<seconds>(time->time_since_epoch()) == ByTheCLibrary(std::string(text)),
          "a time is the one that the C library finds");
  const auto written = FormatRfc3339(*time);
  Require(written.has_value(), "what was read can be written");
  Require(ParseRfc3339(*written) == time, "what was written is read as it was");
}

void FormatIsRight(std::string_view bytes) {
  std::int64_t count = 0;
  std::memcpy(&count, bytes.data(), std::min(bytes.size(), sizeof count));
  const WallTime time{microseconds(count)};
  const auto text = FormatRfc3339(time);
  if (!text) return;
  Require(text->size() == std::strlen("2025-11-18T08:46:00.000000Z"), "all times have one length");
  Require(ParseRfc3339(*text) == time, "what was written is read as it was");
}

}  // namespace

void Fuzz(std::string_view input) {
  ParseIsRight(input);
  FormatIsRight(input);
}

}  // namespace leaderelection::fuzz

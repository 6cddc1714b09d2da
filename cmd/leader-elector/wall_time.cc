#include "wall_time.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace leaderelection::command {

std::string FormatTime(WallTime time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(whole);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "?";
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time - whole).count();
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ", static_cast<int>(milliseconds));
  return text.data();
}

}  // namespace leaderelection::command

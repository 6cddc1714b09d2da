#include "fence.h"

#include <charconv>

namespace example_operator {

Verdict Judge(const ConfigMap& map, const std::string& checksum, std::uint64_t fencing_token) {
  const auto written = map.annotations.find(kNumberKey);
  if (written == map.annotations.end()) return Verdict::kWrite;
  std::uint64_t number = 0;
  const char* const end = written->second.data() + written->second.size();
  const auto [stopped, error] = std::from_chars(written->second.data(), end, number);
  if (error != std::errc() || stopped != end) return Verdict::kUnreadable;
  if (number > fencing_token) return Verdict::kNewerLeader;
  const auto status = map.annotations.find(kChecksumKey);
  const bool is_right = status != map.annotations.end() && status->second == checksum;
  return number == fencing_token && is_right ? Verdict::kUpToDate : Verdict::kWrite;
}

}  // namespace example_operator
